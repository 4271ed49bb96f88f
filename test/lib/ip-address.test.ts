import { isIP } from 'node:net';
import test from 'ava';
import { parseAddress, parseNetwork, widenNetwork } from '../../lib/ip-address.ts';
import { findEmbedded, findRangeName } from '../../platform/ip/ip-regions.ts';
import fc from '../helpers/fast-check.ts';

test('parseAddress() returns addresses as people write them', (t) => {
  const rows: readonly (readonly [string, string, 4 | 6])[] = [
    ['8.8.8.8', '8.8.8.8', 4],
    [' 8.8.8.8 ', '8.8.8.8', 4],
    ['::ffff:8.8.8.8', '8.8.8.8', 4],
    ['::FFFF:0808:0808', '8.8.8.8', 4],
    ['0:0:0:0:0:ffff:808:808', '8.8.8.8', 4],
    ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1', 6],
    ['::', '::', 6],
    ['::1', '::1', 6],
    ['fe80::1%eth0', 'fe80::1', 6],
    ['fe80::1%25', 'fe80::1', 6],
    ['::ffff:10.0.0.1%1', '10.0.0.1', 4],
    ['64:ff9b::8.8.8.8', '64:ff9b::808:808', 6],
  ];
  for (const [text, wanted, version] of rows) {
    const address = parseAddress(text);
    t.deepEqual([address?.text, address?.version], [wanted, version], text);
  }
});

test('parseAddress() returns undefined for anything that is no address in full notation', (t) => {
  const wrong = [
    '',
    ' ',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '010.0.0.1',
    '256.1.1.1',
    '1.2.3.4.5',
    '1.2.3',
    '1.2.3.4%eth0',
  ];
  const more = [
    '1.2.3.4/24',
    '[::1]',
    ':::',
    '1::2::3',
    '12345::',
    'fe80::1%',
    '1.2.3.4\0',
    '１.２.３.４',
    'localhost',
  ];
  for (const text of [...wrong, ...more, '__proto__', '1'.repeat(100_000), `${':'.repeat(50_000)}`]) {
    t.is(parseAddress(text), undefined, text.slice(0, 30));
  }
});

test('parseAddress() takes what Node takes for an address, and gives one again', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 40 }), fc.string({ unit: fc.constantFrom(...'0af:.%') })),
        (text) => {
          const address = parseAddress(text);
          if (!address) return isIP(text.trim()) === 0;
          return isIP(address.text) === address.version && parseAddress(address.text)?.text === address.text;
        },
      ),
      { numRuns: 1_000 },
    ),
  );
});

test('findRangeName() names what nobody in the public network has', (t) => {
  const rows: Readonly<Record<string, RegExp | undefined>> = {
    '10.255.255.255': /^Private/,
    '172.16.0.0': /^Private/,
    '172.31.255.255': /^Private/,
    '172.32.0.0': undefined,
    '172.15.255.255': undefined,
    '192.168.255.1': /^Private/,
    '127.255.0.1': /^Loopback/,
    '169.254.1.1': /^Link-local/,
    '100.64.0.0': /carrier-grade NAT/,
    '100.127.255.255': /carrier-grade NAT/,
    '100.128.0.0': undefined,
    '0.0.0.0': /^Unspecified/,
    '0.1.2.3': /^This network/,
    '192.0.2.1': /^Documentation/,
    '198.51.100.7': /^Documentation/,
    '203.0.113.255': /^Documentation/,
    '198.19.255.255': /^Benchmarking/,
    '192.88.99.1': /6to4/,
    '192.0.0.8': /^IETF/,
    '192.0.0.9': undefined,
    '224.0.0.1': /^Multicast/,
    '239.255.255.255': /^Multicast/,
    '240.0.0.1': /^Reserved/,
    '255.255.255.255': /^Broadcast/,
    '8.8.8.8': undefined,
    '223.255.255.255': undefined,
    '::': /^Unspecified/,
    '::1': /^Loopback/,
    '::ffff:192.168.1.1': /^Private/,
    '::1.2.3.4': /^IPv4-compatible/,
    'fc00::1': /private/,
    'fdff::1': /private/,
    'fe80::1': /^Link-local/,
    'febf::1': /^Link-local/,
    'fec0::1': /^Site-local/,
    'ff02::1': /^Multicast/,
    '2001:db8::1': /^Documentation/,
    '3fff:fff::1': /^Documentation/,
    '2001:2::1': /^Benchmarking/,
    '2001:10::': /^IETF/,
    '100::1': /^Discard/,
    '4000::1': /^Reserved/,
    '1::1': /^Reserved/,
    '64:ff9b:1::1': /NAT64/,
    '2001:200::1': undefined,
    '2a00::1': undefined,
    // Tunnels and translators stand for the address inside.
    '2002:c0a8:0101::1': /^Private/,
    '2002:0808:0808::1': undefined,
    '64:ff9b::10.0.0.1': /^Private/,
    '64:ff9b::8.8.8.8': undefined,
    '2001:0:4136:e378:8000:63bf:3fff:fdd2': /^Documentation/,
    '2001:0:4136:e378:8000:63bf:f7f7:f7f7': undefined,
  };
  for (const [text, name] of Object.entries(rows)) {
    const found = findRangeName(findEmbedded(parseAddress(text)!));
    if (name) t.regex(found ?? '', name, text);
    else t.is(found, undefined, text);
  }
});

test('findEmbedded() returns the address inside of tunnels', (t) => {
  const inside = (text: string): string => findEmbedded(parseAddress(text)!).text;
  t.is(inside('2002:0808:0404:1::1'), '8.8.4.4');
  t.is(inside('2001:0:4136:e378:8000:63bf:3fff:fdd2'), '192.0.2.45');
  t.is(inside('64:ff9b::808:404'), '8.8.4.4');
  t.is(inside('::ffff:0:808:404'), '8.8.4.4');
  t.is(inside('2400:3200::1'), '2400:3200::1');
});

const known: readonly (readonly [text: string, network: string | undefined])[] = [
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['203.0.113.7/0', '0.0.0.0/0'],
  ['::ffff:203.0.113.7', '203.0.113.7/32'],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ['::ffff:cb00:7107', '203.0.113.7/32'],
  ['2001:DB8::1', '2001:db8::/64'],
  ['2001:db8:1:2:3:4:5:6/128', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
  ['::1', '::/64'],
  ['::203.0.113.7', '::/64'],
  ['64:ff9b::203.0.113.7/96', '64:ff9b::/64'],
  ['127.1', undefined],
  ['0x7f.0.0.1', undefined],
  ['2130706433', undefined],
  ['010.0.0.1', undefined],
  ['203.0.113.7/33', undefined],
  ['203.0.113.7/-1', undefined],
  ['203.0.113.7/', undefined],
  ['203.0.113.7/24/24', undefined],
  ['::ffff:203.0.113.7/90', undefined],
  ['2001:db8::/129', undefined],
  ['fe80::1%eth0', undefined],
  ['203.0.113.7 ', undefined],
  ['example.com', undefined],
  ['', undefined],
  [':', undefined],
  [`${'1:'.repeat(50_000)}1`, undefined],
];
for (const [text, network] of known) {
  test(`parseNetwork() parses "${text.slice(0, 40)}" as ${network ?? 'nothing'}`, (t) => {
    t.is(parseNetwork(text)?.text, network);
  });
}

test('widenNetwork() returns the network around a narrower one', (t) => {
  t.is(widenNetwork(parseNetwork('203.0.113.7')!, 16).text, '203.0.0.0/16');
  t.is(widenNetwork(parseNetwork('2001:db8:1:2::/64')!, 33).text, '2001:db8::/33');
});

test('parseNetwork() parses what it returned as the same network, and never throws', (t) => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(140)).map(([address, bits]) => `${address}/${bits}`),
    fc.string({ maxLength: 70 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef:./%') }),
  );
  fc.assert(
    fc.property(text, (one) => {
      const network = parseNetwork(one);
      t.deepEqual(network && parseNetwork(network.text), network);
    }),
    { numRuns: 700 },
  );
});
