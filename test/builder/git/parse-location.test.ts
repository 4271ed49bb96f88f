import test from 'ava';
import { BuildError } from '../../../builder/build-error.ts';
import { parseLocation } from '../../../builder/git/parse-location.ts';

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

for (const location of ['git@host.test:o/r.git', 'ssh://git@host.test/o/r', 'git://host.test/r', 'ftp://host.test/r']) {
  test(`parseLocation() says that ${location} cannot be opened`, (t) => {
    const error = t.throws(() => parseLocation(location), { instanceOf: BuildError });
    t.is(error?.code, 'not-a-repository');
    t.regex(error?.message ?? '', /only http\(s\) URLs and local paths/);
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
