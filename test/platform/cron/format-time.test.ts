import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { FormatError, formatTime, toCalendarTime } from '../../../platform/cron/strftime.ts';
import { createZone, type Zone } from '../../../platform/cron/zone.ts';
import fc from '../../helpers/fast-check.ts';
import { fastestMs } from '../../helpers/fastest-ms.ts';
import { testIf } from '../../helpers/test-if.ts';

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Shanghai',
  'Asia/Kathmandu',
  'America/St_Johns',
];
/** Output of glibc 2.36: zone, seconds, format, text. */
const RECORDED = new URL('../../../../test/platform/cron/glibc-times.jsonl', import.meta.url);
/** Without it, names of time zones are guessed. */
const hasZoneNames = existsSync('/usr/share/zoneinfo/Europe/Dublin');

const zones = new Map<string, Zone>();
function print(format: string, seconds: number, timeZone: string): string {
  const zone = zones.get(timeZone) ?? createZone(timeZone);
  zones.set(timeZone, zone);
  return formatTime(format, toCalendarTime(seconds * 1000, zone));
}

const recorded = readFileSync(RECORDED, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [zone: string, seconds: number, format: string, text: string]);
const namesZone = ([zone, , format]: (typeof recorded)[number]) => zone !== 'UTC' && /%\S*Z/.test(format);
for (const [what, declare, rows] of [
  ['numbers', test, recorded.filter((row) => !namesZone(row))],
  ['names of zones', testIf(hasZoneNames, 'needs /usr/share/zoneinfo'), recorded.filter(namesZone)],
] as const) {
  declare(`format-time() prints what the C library has printed: ${what}`, (t) => {
    t.true(rows.length > 20, `${rows.length} rows`);
    for (const [zone, seconds, format, text] of rows) {
      t.is(print(format, seconds, zone), text, `${JSON.stringify(format)} of ${seconds} in ${zone}`);
    }
  });
}

/** Whether this machine's bash prints times by a C library that is known, with names of zones. */
function findOracle(): boolean {
  const { stdout } = spawnSync('bash', ['-c', "printf '%(%G)T' 0; getconf GNU_LIBC_VERSION"], { encoding: 'utf8' });
  return hasZoneNames && /^\d{4}glibc 2\.\d+/.test(stdout ?? '');
}

const DIRECTIVES = 'aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%+fEOq_-^#0 é中'.split('');
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...DIRECTIVES).map((letter) => `%${letter}`) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.array(fc.constantFrom('-', '_', '0', '^', '#'), { maxLength: 3 }),
        fc.constantFrom('', '', '1', '2', '5', '12'),
        fc.constantFrom('', '', 'E', 'O'),
        fc.constantFrom(...DIRECTIVES),
      )
      .map(([flags, width, modifier, letter]) => `%${flags.join('')}${width}${modifier}${letter}`),
  },
  { weight: 2, arbitrary: fc.constantFrom('-', ':', ' ', 'T', '年', 'week ', '%') },
);
const sample = fc.record({
  zone: fc.constantFrom(...ZONES),
  // -1 and -2 mean now and the start to bash.
  seconds: fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }).filter((value) => value !== -1 && value !== -2),
  format: fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')),
});

const oracleTest = testIf(findOracle(), 'needs bash with glibc and time zones', { isRequiredInCi: true });
oracleTest('format-time() prints what the C library of this machine prints', (t) => {
  const samples = fc.sample(sample, 3_000);
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const script = samples.map(
    ({ zone, seconds, format }) => `TZ=${zone}; printf ${quote(`%(${format})T\\0`)} ${seconds}`,
  );
  const options = { input: `export TZ LC_ALL=C\n${script.join('\n')}\n`, encoding: 'utf8' as const };
  const texts = execFileSync('bash', options).split('\0');
  let compared = 0;
  for (const [index, { zone, seconds, format }] of samples.entries()) {
    const own = print(format, seconds, zone);
    // Bash has room for 127 bytes.
    if (Buffer.byteLength(own) > 120) continue;
    compared++;
    t.is(own, texts[index]!, `${JSON.stringify(format)} of ${seconds} in ${zone}`);
  }
  t.true(compared > 2_500);
});

test('format-time() gives a date of which the same date can be read', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: -30_000_000_000, max: 60_000_000_000 }),
      fc.constantFrom(...ZONES),
      (seconds, zone) => {
        const [, date, sign, hours, minutes, epoch] = /^(\S+) ([+-])(\d\d)(\d\d) (\S+)$/.exec(
          print('%FT%TZ %z %s', seconds, zone),
        )!;
        const offset = (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
        // %z has no seconds, which local mean times have.
        t.true(Math.abs(Date.parse(date!) / 1000 - offset - seconds) < 60);
        t.is(Number(epoch), seconds);
      },
    ),
  );
});

test('format-time() counts ISO weeks so that each has seven days', (t) => {
  for (let day = -40_005; day < 40_000; day += 7) {
    const week = print('%G-%V', (day + 4) * 86_400, 'UTC');
    for (const weekday of [0, 3, 6])
      t.is(print('%G-%V %u', (day + 4 + weekday) * 86_400, 'UTC'), `${week} ${weekday + 1}`);
  }
});

test('format-time() counts days through the year, whatever clocks do', (t) => {
  t.is(print('%j %T', Date.parse('2026-07-01T04:30:00Z') / 1000, 'America/New_York'), '182 00:30:00');
  t.is(print('%j', Date.parse('2024-12-31T12:00:00Z') / 1000, 'UTC'), '366');
});

test('format-time() refuses texts that grow beyond reason', (t) => {
  for (const format of ['%99999d', '%2147483648Y', `%${'9'.repeat(250)}Z`, '%4000d%4000d', '%4096d%%']) {
    t.throws(() => print(format, 0, 'UTC'), { instanceOf: FormatError }, format);
  }
  t.is(print('%4096d', 0, 'UTC').length, 4096);
});

test('format-time() answers hostile formats at once', (t) => {
  const ms = fastestMs(() => {
    for (const part of ['%', '%-', '%E', '%0', '%_^#', '%c', '%9', '%+', 'é', '%%', '\0', '%5']) {
      const format = part.repeat(256 / part.length);
      t.notThrows(() => {
        try {
          print(format, 0, 'UTC');
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
        }
      });
    }
  });
  t.true(ms < 100, `${ms} ms`);
});

test('create-zone() names zones also where the system has no database of them', (t) => {
  const name = (timeZone: string, date: string): string => createZone(timeZone, '/nowhere').nameAt(Date.parse(date));
  t.is(name('UTC', '2026-01-01'), 'UTC');
  t.is(name('America/New_York', '2026-01-01'), 'EST');
  t.is(name('America/New_York', '2026-07-01'), 'EDT');
  t.is(name('Europe/Berlin', '2026-07-01'), 'CEST');
  t.is(name('Asia/Shanghai', '2026-01-01'), 'CST');
  t.is(name('Asia/Kathmandu', '2026-01-01'), '+0545');
});
