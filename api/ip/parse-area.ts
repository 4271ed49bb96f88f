import { COUNTRY_NAMES } from './country-names.ts';
import { createRegion, type Region } from './region.ts';

/** Provinces of China that are named without 省 by the IPv4 data. */
const SHORT_PROVINCES =
  /^(北京|天津|上海|重庆)市|^(内蒙古|广西|西藏|宁夏|新疆)(?:[^市州]*自治区|区)?|^(香港|澳门)(?:特别行政区|区)?/;
const CITY = /^.+?(?:自治州|地区|州市|市|州|盟|县)/;
const STATE = /^(.+?(?:共和国|边疆区|联邦管区|大区|州|省|都|道|府|邦|县))(.*)$/;

/**
 * Splits the text of an IPv6 area (`中国浙江省杭州市`, `美国California州Fremont`) into country, province and city, as the IPv4
 * data write them. Areas that are no country (`亚太地区`, `全球`) count as not known.
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
