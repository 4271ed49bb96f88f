import test from 'ava';
import fc from 'fast-check';
import { parseNetwork, widenNetwork } from '../../lib/ip-address.ts';

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
    { numRuns: 2000 },
  );
});
