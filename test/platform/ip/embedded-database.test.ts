import test from 'ava';
import { parseArea } from '../../../platform/ip/embedded-database.ts';

test('parseArea() splits areas as the IPv4 data do', (t) => {
  const rows: Readonly<Record<string, string>> = {
    中国: '中国||',
    中国浙江省: '中国|浙江省|',
    中国浙江省杭州市: '中国|浙江省|杭州市',
    中国河南省郑州市新郑市: '中国|河南省|郑州市',
    中国浙江省衢州市常山县: '中国|浙江省|衢州市',
    中国云南省大理州大理市: '中国|云南省|大理州',
    中国黑龙江省大兴安岭地区: '中国|黑龙江省|大兴安岭地区',
    中国海南省屯昌县: '中国|海南省|屯昌县',
    中国北京市: '中国|北京|北京市',
    中国重庆市九龙坡区: '中国|重庆|重庆市',
    中国内蒙古区乌兰察布市: '中国|内蒙古|乌兰察布市',
    中国广西区: '中国|广西|',
    中国香港区: '中国|香港|',
    中国台湾省云林县台西乡: '中国|台湾省|云林县',
    美国: '美国||',
    美国California州Fremont: '美国|California州|Fremont',
    日本东京都: '日本|东京都|',
    韩国首尔市松坡区: '韩国||首尔市松坡区',
    肯尼亚Mombasa: '肯尼亚||Mombasa',
    印度尼西亚: '印度尼西亚||',
    几内亚比绍: '几内亚比绍||',
    '刚果(金)': '刚果(金)||',
    全球: '||',
    亚太地区: '||',
    IANA保留地址: '||',
    '': '||',
    __proto__: '||',
  };
  for (const [area, wanted] of Object.entries(rows)) {
    const { country, province, city, isp } = parseArea(area, '未知地区');
    t.deepEqual([[country, province, city].join('|'), isp], [wanted, ''], area);
  }
});
