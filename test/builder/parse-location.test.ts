import test from 'ava';
import { BuildError } from '../../builder/build-error.ts';
import { parseLocation, stripCredentials } from '../../builder/parse-location.ts';
import { cpuTimeMs } from '../helpers/cpu-time.ts';

test('parseLocation() takes the credentials out of an address', (t) => {
  t.deepEqual(parseLocation('https://us%40er:p%2Fw%zz@host.test/o/r.git/?a#b'), {
    kind: 'remote',
    url: 'https://host.test/o/r.git',
    credentials: { username: 'us@er', password: 'p%2Fw%zz' },
  });
});

test('parseLocation() gives an address without credentials as it is', (t) => {
  t.deepEqual(parseLocation('http://host.test:8080/r'), {
    kind: 'remote',
    url: 'http://host.test:8080/r',
    credentials: undefined,
  });
});

test('parseLocation() reads file addresses and paths', (t) => {
  t.deepEqual(parseLocation('file:///a%20b/c'), { kind: 'path', path: '/a b/c' });
  t.deepEqual(parseLocation('./docs'), { kind: 'path', path: './docs' });
  t.deepEqual(parseLocation('/srv/x@y/z:1'), { kind: 'path', path: '/srv/x@y/z:1' });
});

const hint = 'https://host.test/o/r';
for (const location of [
  'git@host.test:o/r.git',
  'ssh://git@host.test/o/r',
  'git://host.test/o/r',
  'ftp://host.test/r',
]) {
  test(`parseLocation() says that ${location} cannot be opened`, (t) => {
    const error = t.throws(() => parseLocation(location), { instanceOf: BuildError });
    t.is(error?.code, 'not-a-repository');
    t.regex(error?.message ?? '', /only http\(s\) URLs and local paths/);
    t.is(/did you mean "(.*)"\?$/.exec(error?.message ?? '')?.[1], location.startsWith('ftp') ? undefined : hint);
  });
}

test('parseLocation() shows no password of an address it cannot read', (t) => {
  const error = t.throws(() => parseLocation('https://user:pass/word@host.test/r'), { instanceOf: BuildError });
  t.notRegex(error?.message ?? '', /pass|word|user/);
});

test('parseLocation() refuses an empty location and NUL', (t) => {
  t.throws(() => parseLocation(''), { instanceOf: BuildError });
  t.throws(() => parseLocation('a\0b'), { instanceOf: BuildError });
});

const STRIPPED: readonly (readonly [string, string])[] = [
  ['https://u:p@host.test/x.git', 'https://host.test/x.git'],
  ['HTTPS://token@host.test', 'HTTPS://host.test'],
  ['https://u:p@ss@host.test/x', 'https://host.test/x'],
  ['https://host.test/a@b', 'https://host.test/a@b'],
  ['Cannot reach "https://u:p@h/x" or http://a:b@c', 'Cannot reach "https://h/x" or http://c'],
  ['git@host.test:o/r.git', 'git@host.test:o/r.git'],
  ['ssh://git:secret@host.test/o/r', 'ssh://git@host.test/o/r'],
  ['/home/me@here/docs', '/home/me@here/docs'],
];

for (const [text, expected] of STRIPPED) {
  test(`stripCredentials() makes ${text} ${expected}`, (t) => {
    t.is(stripCredentials(text), expected);
  });
}

test('stripCredentials() is fast on hostile input', (t) => {
  const started = cpuTimeMs();
  stripCredentials('a://'.repeat(25_000));
  stripCredentials(`https://${'x'.repeat(100_000)}`);
  stripCredentials('a'.repeat(100_000));
  t.true(cpuTimeMs() - started < 500);
});
