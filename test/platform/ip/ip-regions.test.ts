import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseAddress } from '../../../lib/ip-address.ts';
import { createIpRegions } from '../../../platform/ip/ip-regions.ts';
import { openMmdb } from '../../../platform/ip/mmdb.ts';
import { openXdb } from '../../../platform/ip/xdb.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import fc from '../../helpers/fast-check.ts';
import { createMmdb } from '../../helpers/write-mmdb.ts';
import { createXdb } from '../../helpers/write-xdb.ts';

/** Regions with a clock that is set by hand; `find` gives the fields joined by bars. */
function createRegions(
  t: ExecutionContext,
  options: { readonly db4?: string; readonly db6?: string; readonly lang?: string } = {},
) {
  const warnings: string[] = [];
  const clock = { ms: 0 };
  const regions = createIpRegions({
    db4: '',
    db6: '',
    fetched: { 4: '/nowhere/4.db', 6: '/nowhere/6.db' },
    lang: 'zh-CN',
    ...options,
    onWarning: (message) => warnings.push(message),
    nowMs: () => clock.ms,
  });
  const find = async (text: string): Promise<string> => {
    const address = parseAddress(text);
    if (!address) return t.fail(text) as never;
    const { country, province, city, isp } = (await regions.find(address))!;
    return [country, province, city, isp].join('|');
  };
  return { regions, find, warnings, clock };
}

const xdbOf = (text: string, structure?: 2 | 3) => createXdb([['8.8.8.0', '8.8.8.255', text]], structure);

test('createIpRegions() finds addresses in the data included in docbuild', async (t) => {
  const { find, warnings } = createRegions(t);
  const rows: Readonly<Record<string, string>> = {
    '223.5.5.5': '中国|浙江省|杭州市|阿里云',
    '8.8.8.8': '美国|||Level3',
    '203.208.60.1': '中国|上海|上海市|谷歌',
    '2400:3200::1': '中国|浙江省|杭州市|阿里云计算有限公司',
    '2a00:1450:4001::1': '德国|Hessen州|FrankfurtAmMain|Google Inc 服务器网段',
    '2001:200::1': '日本|||WIDE Project',
    '2606:4700::1111': '|||Cloudflare Inc Anycast网段',
    '2804::1': '巴西|||',
    '2404:6800:4005::1': '中国|香港||Google Inc 服务器网段',
    '::ffff:223.5.5.5': '中国|浙江省|杭州市|阿里云',
    '2002:df05:0505::1': '中国|浙江省|杭州市|阿里云',
    '192.168.1.1': '|||Private network',
    '2001:db8::1': '|||Documentation',
  };
  for (const [text, wanted] of Object.entries(rows)) t.is(await find(text), wanted, text);
  t.deepEqual(warnings, []);
});

test('createIpRegions() never gives "0" or anything but texts, whatever the address', async (t) => {
  const { find } = createRegions(t);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.ipV6().map((ip) => ip.replace(/^[^:]+/, '240e')),
      ),
      async (text) => {
        if (!parseAddress(text)) return;
        const fields = (await find(text)).split('|');
        t.is(fields.length, 4);
        t.false(
          fields.some((field) => /^(?:0|undefined|null|未知.*)$/.test(field)),
          `${text}: ${fields}`,
        );
      },
    ),
    { numRuns: 700 },
  );
});

test('createIpRegions() looks into the operator’s .xdb files', async (t) => {
  const folder = createFolder(t);
  const [db4, db6] = [join(folder, '4.xdb'), join(folder, '6.XDB')];
  writeFileSync(
    db4,
    createXdb([
      ['8.8.8.0', '8.8.8.255', '美国|加利福尼亚|0|谷歌|US'],
      ['8.8.9.0', '8.8.9.7', '0|0|0|0|0'],
      ['9.0.0.0', '9.0.0.9', '法国|巴黎|巴黎|Orange'],
    ]),
  );
  writeFileSync(db6, createXdb([['2400:3200::', '2400:3200:ffff:ffff:ffff:ffff:ffff:ffff', '中国|浙江|杭州|阿里|CN']]));
  const { find, warnings } = createRegions(t, { db4, db6 });
  t.is(await find('8.8.8.8'), '美国|加利福尼亚||谷歌');
  t.is(await find('8.8.8.255'), '美国|加利福尼亚||谷歌');
  t.is(await find('8.8.9.1'), '|||');
  t.is(await find('8.8.9.8'), '|||');
  t.is(await find('9.0.0.0'), '法国|巴黎|巴黎|Orange');
  t.is(await find('1.1.1.1'), '|||');
  t.is(await find('2400:3200::1'), '中国|浙江|杭州|阿里');
  t.is(await find('2400:3201::1'), '|||');
  t.is(await find('10.0.0.1'), '|||Private network');
  t.deepEqual(warnings, []);
});

test('openXdb() reads files of version 2, which have an area behind the country', async (t) => {
  const database = await openXdb(xdbOf('中国|0|江苏省|南京市|电信', 2));
  const region = await database.find(parseAddress('8.8.8.8')!);
  t.deepEqual(region, { country: '中国', province: '江苏省', city: '南京市', isp: '电信' });
});

test('createIpRegions() looks into the operator’s .mmdb for both versions, in the language asked for', async (t) => {
  const db4 = join(createFolder(t), 'city.mmdb');
  const names = (en: string, zh?: string) => ({ names: zh === undefined ? { en } : { en, 'zh-CN': zh } });
  writeFileSync(
    db4,
    createMmdb({
      '8.8.8.0/24': {
        country: { iso_code: 'US', ...names('United States', '美国') },
        subdivisions: [names('California', '加州')],
        city: names('Mountain View'),
        traits: { isp: 'Google', autonomous_system_organization: 'GOOGLE' },
      },
      '9.0.0.0/8': { country_code: 'FR', state1: 'Île-de-France', city: 'Paris', latitude: 48 },
      '2a00::/16': { country: names('Germany'), autonomous_system_organization: 'DE-AS' },
    }),
  );
  const chinese = createRegions(t, { db4 });
  t.is(await chinese.find('8.8.8.8'), '美国|加州|Mountain View|Google');
  t.is(await chinese.find('9.1.2.3'), 'FR|Île-de-France|Paris|');
  t.is(await chinese.find('2a00::1'), 'Germany|||DE-AS');
  t.is(await chinese.find('1.1.1.1'), '|||');
  t.is(await chinese.find('2b00::1'), '|||');
  const english = createRegions(t, { db4, lang: 'en' });
  t.is(await english.find('8.8.8.8'), 'United States|California|Mountain View|Google');
});

test('createIpRegions() uses the data included in docbuild for the version that a database does not cover', async (t) => {
  const db4 = join(createFolder(t), '4.mmdb');
  writeFileSync(db4, createMmdb({ '223.5.0.0/16': { country: 'XX' } }, 4));
  const { find } = createRegions(t, { db4 });
  t.is(await find('223.5.5.5'), 'XX|||');
  t.is(await find('2400:3200::1'), '中国|浙江省|杭州市|阿里云计算有限公司');
});

test('createIpRegions() says so when a database is about the other version', async (t) => {
  const db4 = join(createFolder(t), '6.xdb');
  writeFileSync(db4, createXdb([['2400:3200::', '2400:3200::ffff', 'A|B|C|D']]));
  const { find, warnings } = createRegions(t, { db4 });
  t.is(await find('223.5.5.5'), '中国|浙江省|杭州市|阿里云');
  t.deepEqual(warnings.length, 1);
  t.regex(warnings[0]!, /it contains no IPv4 addresses/);
});

test('createIpRegions() reads a file anew that was replaced, within a second', async (t) => {
  const db4 = join(createFolder(t), '4.xdb');
  writeFileSync(db4, xdbOf('A|B|C|D'));
  const { find, warnings, clock } = createRegions(t, { db4 });
  t.is(await find('8.8.8.8'), 'A|B|C|D');
  writeFileSync(`${db4}.new`, xdbOf('E|F|G|H'));
  renameSync(`${db4}.new`, db4);
  clock.ms += 500;
  t.is(await find('8.8.8.8'), 'A|B|C|D');
  clock.ms += 501;
  t.is(await find('8.8.8.8'), 'E|F|G|H');
  t.deepEqual(warnings, []);
});

for (const [damage, make] of Object.entries<(good: Buffer) => Buffer>({
  'is cut': (good) => good.subarray(0, good.length - 3),
  'is cut in its index': (good) => good.subarray(0, 1000),
  'is empty': () => Buffer.alloc(0),
  'holds something else': () => Buffer.from('<html>'.repeat(200_000)),
  'is full of zeros': (good) => Buffer.alloc(good.length),
})) {
  test(`createIpRegions() keeps the data it has when the new file ${damage}, warns once, and takes the next good one`, async (t) => {
    const folder = createFolder(t);
    const good = {
      xdb: (name: string) => xdbOf(`${name}|||`),
      mmdb: (name: string) => createMmdb({ '8.8.8.0/24': { country: name } }),
    };
    for (const kind of ['xdb', 'mmdb'] as const) {
      const db4 = join(folder, `4.${kind}`);
      writeFileSync(db4, good[kind]('A'));
      const { find, warnings, clock } = createRegions(t, { db4 });
      t.is(await find('8.8.8.8'), 'A|||');
      writeFileSync(`${db4}.new`, make(good[kind]('B')));
      renameSync(`${db4}.new`, db4);
      for (let i = 0; i < 3; i++) {
        clock.ms += 2000;
        t.is(await find('8.8.8.8'), 'A|||');
      }
      t.is(warnings.length, 1, kind);
      t.regex(
        warnings[0]!,
        /^Cannot use IP database "4\.\w+": its content cannot be used \(.+\); the data read before remains in use$/,
      );
      writeFileSync(db4, good[kind]('C'));
      clock.ms += 2000;
      t.is(await find('8.8.8.8'), 'C|||');
      t.is(warnings.length, 1, kind);
    }
  });
}

test('createIpRegions() answers from the data included in docbuild where a record of the file is damaged', async (t) => {
  const db4 = join(createFolder(t), '4.mmdb');
  const bytes = createMmdb({ '8.8.8.0/24': { country: 'A' }, '223.5.5.0/24': { country: 'B' } });
  // What was a text of one character is now a number of 20 bytes, which there is not.
  bytes[bytes.lastIndexOf('country') + 'country'.length] = (6 << 5) | 20;
  writeFileSync(db4, bytes);
  const { find, warnings } = createRegions(t, { db4 });
  t.is(await find('8.8.8.8'), 'A|||');
  for (let i = 0; i < 3; i++) t.is(await find('223.5.5.5'), '中国|浙江省|杭州市|阿里云');
  t.is(await find('8.8.8.8'), 'A|||');
  t.is(warnings.length, 1);
  t.regex(warnings[0]!, /^An IP database is damaged: .+; the data included in docbuild is used where it fails$/);
});

test('createIpRegions() answers from the data included in docbuild while a file is missing', async (t) => {
  const db4 = join(createFolder(t), '4.xdb');
  const { regions, find, warnings, clock } = createRegions(t, { db4 });
  regions.check();
  t.regex(warnings[0]!, /does not exist \(yet\)$/);
  t.is(await find('223.5.5.5'), '中国|浙江省|杭州市|阿里云');
  t.regex(warnings[1]!, /it does not exist; the data included in docbuild is used$/);
  writeFileSync(db4, createXdb([['223.5.5.0', '223.5.5.255', 'A|B|C|D']]));
  clock.ms += 2000;
  t.is(await find('223.5.5.5'), 'A|B|C|D');
  rmSync(db4);
  clock.ms += 2000;
  t.is(await find('223.5.5.5'), 'A|B|C|D');
  t.is(warnings.length, 3);
});

test('createIpRegions() opens a file once for many requests at a time', async (t) => {
  const db4 = join(createFolder(t), '4.xdb');
  writeFileSync(db4, xdbOf('A|||'));
  const { find, clock } = createRegions(t, { db4 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => find('8.8.8.8')));
  t.deepEqual([...new Set(answers)], ['A|||']);
  truncateSync(db4, 10);
  clock.ms += 2000;
  t.deepEqual([...new Set(await Promise.all(Array.from({ length: 50 }, () => find('8.8.8.8'))))], ['A|||']);
});

test('createIpRegions() gives whole answers while a file is replaced again and again', async (t) => {
  const db4 = join(createFolder(t), '4.mmdb');
  const write = (name: string): void => {
    writeFileSync(`${db4}.new`, createMmdb({ '8.8.8.0/24': { country: name, city: name } }));
    renameSync(`${db4}.new`, db4);
  };
  write('v0');
  const { find, warnings, clock } = createRegions(t, { db4 });
  for (let i = 1; i <= 40; i++) {
    const early = Array.from({ length: 5 }, () => find('8.8.8.8'));
    write(`v${i}`);
    clock.ms += 1001;
    const [first] = await Promise.all([find('8.8.8.8'), ...early]);
    t.true([`v${i}||v${i}|`, `v${i - 1}||v${i - 1}|`].includes(first!), first);
    clock.ms += 1001;
    t.is(await find('8.8.8.8'), `v${i}||v${i}|`);
  }
  t.deepEqual(warnings, []);
});

test('openXdb() and openMmdb() refuse or survive files with any bytes changed', async (t) => {
  const makers: readonly (readonly [Buffer, (bytes: Buffer) => ReturnType<typeof openXdb>])[] = [
    [xdbOf('A|B|C|D'), openXdb],
    [createMmdb({ '8.8.8.0/24': { country: 'A' }, '2a00::/16': { country: 'B' } }), (bytes) => openMmdb(bytes, 'en')],
  ];
  for (const [good, open] of makers) {
    const size = good.length;
    const place = fc.oneof(fc.nat(size - 1), fc.nat(255), fc.integer({ min: size - 200, max: size - 1 }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        let region: unknown;
        try {
          region = await (await open(bytes)).find(parseAddress('8.8.8.8')!);
        } catch (error) {
          t.true(error instanceof Error);
          return;
        }
        if (region !== undefined) t.deepEqual(Object.keys(region as object), ['country', 'province', 'city', 'isp']);
      }),
      { numRuns: 100 },
    );
  }
});

test('createIpRegions() knows reserved ranges without any data, and says once what is missing', async (t) => {
  const warnings: string[] = [];
  const missing = Object.assign(new Error("Cannot find package 'ip2region'"), { code: 'ERR_MODULE_NOT_FOUND' });
  const regions = createIpRegions({
    db4: '',
    db6: '',
    fetched: { 4: '', 6: '' },
    lang: '',
    onWarning: (message) => warnings.push(message),
    nowMs: Date.now,
    openIncluded: () => Promise.reject(missing),
  });
  t.is((await regions.find(parseAddress('127.0.0.1')!))?.isp, 'Loopback');
  t.is(await regions.find(parseAddress('223.5.5.5')!), undefined);
  t.is(await regions.find(parseAddress('2400:3200::1')!), undefined);
  t.deepEqual(warnings, ['No data of the IP lookup are installed: "docbuild ip update" fetches them']);
});
