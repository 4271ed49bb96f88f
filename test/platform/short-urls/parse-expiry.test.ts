import test from 'ava';
import { parseExpiry } from '../../../platform/short-urls/parse-expiry.ts';

const now = new Date('2026-05-04T12:00:00Z');

test('a short URL expires at the end of a day of the time zone, or at a time', (t) => {
  const parse = (text: string, timezone = 'UTC') => parseExpiry(text, { now, timezone });
  t.is(parse('2026-05-04'), '2026-05-05T00:00:00.000Z');
  t.is(parse(' 2026-05-04 ', 'Asia/Shanghai'), '2026-05-04T16:00:00.000Z');
  t.is(parse('2026-05-31', 'Pacific/Kiritimati'), '2026-05-31T10:00:00.000Z');
  t.is(parse('2026-05-31', 'Pacific/Pago_Pago'), '2026-06-01T11:00:00.000Z');
  t.is(parse('2026-10-25', 'Europe/Berlin'), '2026-10-25T23:00:00.000Z');
  t.is(parse('2026-05-04T14:00:01+02:00'), '2026-05-04T12:00:01.000Z');
  t.is(parse(''), undefined);
});

test('an expiry that is past, far away or no time is refused with the reason', (t) => {
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['2026-05-03', /must be in the future/],
    ['2026-05-04T12:00:00Z', /must be in the future/],
    ['2099-01-01', /at most 3660 days ahead/],
    ['2026-02-30', /must be a day such as/],
    ['tomorrow', /must be a day such as/],
    ['1778000000', /must be a day such as/],
    ['2026-05-04T14:00:01', /must be a day such as/],
    ['9'.repeat(100_000), /must be a day such as/],
  ];
  for (const [text, message] of cases) {
    const error = t.throws(() => parseExpiry(text, { now, timezone: 'UTC' }), { message });
    t.is((error as { code?: string } | undefined)?.code, 'invalid', text.slice(0, 30));
  }
});
