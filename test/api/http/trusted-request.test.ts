import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { addressOf, sourceOf, toSource } from '../../../api/http/trusted-request.ts';
import { parseAddress } from '../../../lib/ip-address.ts';
import fc from '../../helpers/fast-check.ts';

function request(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const rows: readonly (readonly [proxies: number, peer: string, forwarded: string | undefined, address: string])[] = [
  // Nobody is believed.
  [0, '192.0.2.1', undefined, '192.0.2.1'],
  [0, '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  [0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  [0, '::FFFF:C000:201', undefined, '192.0.2.1'],
  [0, 'fe80::1%eth0', undefined, 'fe80::1'],
  [0, '2001:0DB8:0:0:0:0:0:1', undefined, '2001:db8::1'],
  // One proxy: what it has written stands last.
  [1, '10.0.0.1', undefined, '10.0.0.1'],
  [1, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [1, '10.0.0.1', '1.1.1.1, 2.2.2.2 ,203.0.113.9', '203.0.113.9'],
  [1, '10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  [1, '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  [1, '10.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
  [1, '10.0.0.1', '[2001:db8::5]', '2001:db8::5'],
  [1, '10.0.0.1', '2001:db8::5', '2001:db8::5'],
  // Two proxies.
  [2, '10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
  [2, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  // What is no address is never believed, and what is before it neither.
  [1, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
  [1, '10.0.0.1', '', '10.0.0.1'],
  [1, '10.0.0.1', '1.1.1.1,', '10.0.0.1'],
  [2, '10.0.0.1', '1.1.1.1, <script>, 10.0.0.2', '10.0.0.2'],
  [2, '10.0.0.1', 'a, b', '10.0.0.1'],
  [1, '10.0.0.1', '127.1', '10.0.0.1'],
  [1, '10.0.0.1', '0x7f.0.0.1', '10.0.0.1'],
  [1, '10.0.0.1', '2130706433', '10.0.0.1'],
  [1, '10.0.0.1', '1.2.3.4.5', '10.0.0.1'],
  [1, '10.0.0.1', '[203.0.113.9', '10.0.0.1'],
];
for (const [proxies, peer, forwarded, address] of rows) {
  test(`addressOf() with ${proxies} proxies, from ${peer}, forwarded ${JSON.stringify(forwarded)}`, (t) => {
    t.is(addressOf(request(peer, forwarded), proxies), address);
  });
}

test('addressOf() gives nothing where the connection is gone', (t) => {
  t.is(addressOf(request(undefined), 0), '');
});

test('addressOf() lets nothing that a caller writes change what the proxies say', (t) => {
  const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('unknown', '', '_hidden', '127.0.0.1'));
  const chain = fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), chain, (invented, written) => {
      const plain = addressOf(request('10.0.0.1', written.join(', ')), written.length);
      const forged = addressOf(request('10.0.0.1', [...invented, ...written].join(', ')), written.length);
      t.is(forged, plain);
      t.is(forged, parseAddress(written[0]!)!.text);
    }),
  );
});

test('sourceOf() counts IPv4 by address and IPv6 by network', (t) => {
  t.is(sourceOf(request('::ffff:192.0.2.1'), 0), '192.0.2.1');
  t.is(sourceOf(request('2001:db8:1:2:3:4:5:6'), 0), '2001:db8:1:2::/64');
  t.is(sourceOf(request('2001:db8:1:2:ffff::'), 0), '2001:db8:1:2::/64');
  t.is(sourceOf(request('10.0.0.1', '2001:db8:1:3::1'), 1), '2001:db8:1:3::/64');
  t.is(toSource('::1'), '::/64');
  t.is(toSource('::ffff:192.0.2.1'), '192.0.2.1');
  t.is(toSource(''), '');
});
