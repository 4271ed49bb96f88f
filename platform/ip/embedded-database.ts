import type { IpAddress } from '../../lib/ip-address.ts';
import { createRegion, type Region, type RegionDatabase } from './region.ts';

/** The package's answer for IPv6: the area in one word, and its user. */
interface RawArea {
  readonly cArea: string;
  readonly aArea: string;
}

/** Opens the data included in docbuild (npm `ip2region`, of 2021); 11 MB are read into memory. */
export async function openEmbedded(): Promise<RegionDatabase> {
  // A CommonJS package whose class is its export `default`.
  const { default: exported } = await import('ip2region');
  const data = new exported.default();
  const findV4 = (text: string): Region | undefined => {
    const found = data.search(text);
    return found ? createRegion(found) : undefined;
  };
  const findV6 = ({ bytes }: IpAddress): Region | undefined => {
    // The data contains /64 networks; in the rest of the address the package would look for IPv4 addresses.
    const found = data.searchRaw(`${toGroups(bytes.slice(0, 8))}:0:0:0:0`, false) as RawArea | null;
    return found ? parseArea(found.cArea, found.aArea) : undefined;
  };
  return {
    versions: new Set([4, 6]),
    find: async (address) => (address.version === 4 ? findV4(address.text) : findV6(address)),
  };
}

function toGroups(bytes: readonly number[]): string {
  const groups: string[] = [];
  for (let i = 0; i < bytes.length; i += 2) groups.push(((bytes[i]! << 8) | bytes[i + 1]!).toString(16));
  return groups.join(':');
}

/** Provinces of China that the IPv4 data names without 省. */
const SHORT_PROVINCES =
  /^(北京|天津|上海|重庆)市|^(内蒙古|广西|西藏|宁夏|新疆)(?:[^市州]*自治区|区)?|^(香港|澳门)(?:特别行政区|区)?/;
const CITY = /^.+?(?:自治州|地区|州市|市|州|盟|县)/;
const STATE = /^(.+?(?:共和国|边疆区|联邦管区|大区|州|省|都|道|府|邦|县))(.*)/s;

/**
 * Splits the text of an IPv6 area (`中国浙江省杭州市`, `美国California州Fremont`) into country, province and city, spelled as in
 * the IPv4 data. Areas that are not a country (`亚太地区`, `全球`) count as unknown.
 */
export function parseArea(area: string, isp: string): Region {
  const country = COUNTRY_NAMES.find((name) => area.startsWith(name)) ?? '';
  const rest = country === '' ? '' : area.slice(country.length);
  return createRegion({ country, isp, ...(country === '中国' ? splitChinese(rest) : splitOther(rest)) });
}

function splitChinese(rest: string): Pick<Region, 'province' | 'city'> {
  const short = SHORT_PROVINCES.exec(rest);
  if (short?.[1] !== undefined) return { province: short[1], city: short[0] };
  const province = short ? (short[2] ?? short[3]!) : (/^.+?省/.exec(rest)?.[0] ?? '');
  const below = rest.slice(short ? short[0].length : province.length);
  return { province, city: CITY.exec(below)?.[0] ?? '' };
}

function splitOther(rest: string): Pick<Region, 'province' | 'city'> {
  const [, province = '', city = rest] = STATE.exec(rest) ?? [];
  return { province, city };
}

const TEXT = `
不丹 东帝汶 中国 中非 丹麦 乌克兰 乌兹别克斯坦 乌干达 乌拉圭 乍得 也门 亚美尼亚 以色列 伊拉克 伊朗 伯利兹 佛得角 俄罗斯 保加利亚 克罗地亚 冈比亚 冰岛 几内亚 几内亚比绍
列支敦士登 刚果(布) 刚果(金) 利比亚 利比里亚 加拿大 加纳 加蓬 匈牙利 北马其顿 南苏丹 南非 博茨瓦纳 卡塔尔 卢旺达 卢森堡 印度 印度尼西亚 危地马拉 厄瓜多尔 叙利亚 古巴
吉尔吉斯斯坦 吉布提 哈萨克斯坦 哥伦比亚 哥斯达黎加 喀麦隆 图瓦卢 土库曼斯坦 土耳其 圣卢西亚 圣基茨和尼维斯 圣多美和普林西比 圣文森特和格林纳丁斯 圣马力诺 圭亚那 坦桑尼亚 埃及
埃塞俄比亚 基里巴斯 塔吉克斯坦 塞内加尔 塞尔维亚 塞拉利昂 塞浦路斯 塞舌尔 墨西哥 多哥 多米尼克 多米尼加 奥地利 委内瑞拉 孟加拉 孟加拉国 安哥拉 安提瓜和巴布达 安道尔 密克罗尼西亚
尼加拉瓜 尼日利亚 尼日尔 尼泊尔 巴勒斯坦 巴哈马 巴基斯坦 巴巴多斯 巴布亚新几内亚 巴拉圭 巴拿马 巴林 巴西 布基纳法索 布隆迪 希腊 帕劳 德国 意大利 所罗门群岛 拉脱维亚 挪威 捷克
摩尔多瓦 摩洛哥 摩纳哥 文莱 斐济 斯威士兰 斯洛伐克 斯洛文尼亚 斯里兰卡 新加坡 新西兰 日本 智利 朝鲜 柬埔寨 格林纳达 格鲁吉亚 梵蒂冈 比利时 毛里塔尼亚 毛里求斯 汤加 沙特阿拉伯
法国 波兰 波斯尼亚和黑塞哥维那 泰国 津巴布韦 洪都拉斯 海地 澳大利亚 爱尔兰 爱沙尼亚 牙买加 特立尼达和多巴哥 玻利维亚 瑙鲁 瑞典 瑞士 瓦努阿图 白俄罗斯 科威特 科摩罗 科特迪瓦 秘鲁
突尼斯 立陶宛 索马里 约旦 纳米比亚 缅甸 罗马尼亚 美国 老挝 肯尼亚 芬兰 苏丹 苏里南 英国 荷兰 莫桑比克 莱索托 菲律宾 萨尔瓦多 萨摩亚 葡萄牙 蒙古 西班牙 贝宁 赞比亚 赤道几内亚
越南 阿塞拜疆 阿富汗 阿尔及利亚 阿尔巴尼亚 阿曼 阿根廷 阿联酋 韩国 马尔代夫 马拉维 马来西亚 马绍尔群岛 马耳他 马达加斯加 马里 黎巴嫩 黑山
`;

/** Chinese names of countries as in the data, longer ones first, because one may begin with another. */
const COUNTRY_NAMES: readonly string[] = TEXT.trim()
  .split(/\s+/)
  .sort((a, b) => b.length - a.length);
