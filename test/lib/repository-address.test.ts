import test from 'ava';
import {
  hideCredentials,
  parseRepositoryAddress,
  repositoryKey,
  repositoryOwner,
  suggestUrl,
} from '../../lib/repository-address.ts';
import fc from '../helpers/fast-check.ts';
import { fastestMs } from '../helpers/fastest-ms.ts';

const same: Readonly<Record<string, readonly string[]>> = {
  'code.example/owner/guide': [
    'https://code.example/owner/guide',
    'https://code.example/owner/guide.git',
    'HTTPS://Code.Example/Owner/Guide.GIT',
    'https://code.example/owner/guide.git/',
    'https://code.example//owner/guide//',
    'https://user:p%40ss@code.example/owner/guide.git',
    'https://us@er:pass@code.example/owner/guide.git',
    'https://code.example:443/owner/guide',
    'http://code.example:80/owner/guide',
    'http://code.example./owner/guide?a=b#c',
    'ssh://git@code.example/owner/guide.git',
    'ssh://git@code.example:22/owner/guide.git',
    'git+ssh://git@code.example/owner/guide.git',
    'git://code.example:9418/owner/guide.git',
    'git@code.example:owner/guide.git',
    'git@code.example:/owner/guide.git',
    'code.example:owner/guide',
    '  https://code.example/owner/guide\n',
  ],
  'code.example:8443/owner/guide': [
    'https://code.example:8443/owner/guide.git',
    'ssh://git@code.example:8443/owner/guide',
  ],
  'code.example:443/owner/guide': ['http://code.example:443/owner/guide', 'ssh://code.example:443/owner/guide'],
  'code.example/a/b/c': ['https://code.example/a/b/c', 'git@code.example:a/b/c.git'],
  'code.example/owner/.git': ['https://code.example/owner/.git'],
  'code.example/owner/guide.github.io': ['https://code.example/owner/guide.github.io'],
  'xn--bcher-kva.example/ö/ü': ['https://bücher.example/ö/ü.git', 'git@bücher.example:ö/ü.git'],
  '[::1]:8080/owner/guide': ['http://[0:0::1]:8080/owner/guide'],
  '[::1]/owner/guide': ['git@[::1]:owner/guide.git', 'ssh://[::1]:22/owner/guide'],
  '/srv/git/guide': ['/srv/git/guide.git', 'file:///srv/git/guide.git', '/srv/git/guide/'],
  'code.example': ['https://code.example', 'https://code.example/'],
  '': ['', '/'],
};
for (const [key, urls] of Object.entries(same)) {
  for (const url of urls) {
    test(`repositoryKey() returns "${key}" for ${JSON.stringify(url)}`, (t) => t.is(repositoryKey(url), key));
  }
}

test('repositoryKey() tells repositories, hosts and ports apart', (t) => {
  const urls = [
    'https://a.example/o/r',
    'https://a.example/o/r2',
    'https://a.example/o2/r',
    'https://b.example/o/r',
    'https://a.example:81/o/r',
    'https://a.example/o/r.git.x',
  ];
  t.is(new Set(urls.map(repositoryKey)).size, urls.length);
});

test('repositoryKey() returns a key for any text, quickly, and never shows credentials', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => typeof repositoryKey(text) === 'string'),
  );
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      const secret = url.replace('://', '://user:s3cr3t@');
      return repositoryKey(secret) === repositoryKey(url) && !repositoryKey(secret).includes('s3cr3t');
    }),
  );
  for (const part of ['/', '@', ':', 'a@', '://', '[', '%', '.git/']) {
    const ms = fastestMs(() => {
      repositoryKey(part.repeat(50_000));
      repositoryKey(`https://${part.repeat(50_000)}`);
    });
    t.true(ms < 500, `${part}: ${ms} ms`);
  }
});

const homes: readonly (readonly [string, string | undefined])[] = [
  ['https://github.com/o/r.git', 'https://github.com/o/r'],
  ['https://u:p@github.com/o/r/', 'https://github.com/o/r'],
  ['git@github.com:o/r.git', 'https://github.com/o/r'],
  ['host.test:group/sub/r.git', 'https://host.test/group/sub/r'],
  ['ssh://git@host.test:2222/o/r.git', 'https://host.test/o/r'],
  ['git://host.test/o/r', 'https://host.test/o/r'],
  ['https://host.test:8443/o/r.git', 'https://host.test:8443/o/r'],
  ['http://127.0.0.1:3000/r.git', 'http://127.0.0.1:3000/r'],
  ['https://host.test/', undefined],
  ['/srv/git/r.git', undefined],
  ['../r', undefined],
  ['C:\\repos\\r', undefined],
  ['file:///srv/r.git', undefined],
  ['javascript:alert(1)//x', undefined],
];
for (const [address, expected] of homes) {
  test(`parseRepositoryAddress() finds the home page ${expected} of ${address}`, (t) => {
    t.is(parseRepositoryAddress(address).webUrl, expected);
  });
}

test('parseRepositoryAddress() tells http, paths and the rest apart', (t) => {
  t.like(parseRepositoryAddress('https://me:a%2Fb@Host.test:8443/o/r.git/?a#b'), {
    kind: 'http',
    url: 'https://host.test:8443/o/r.git',
    hostname: 'host.test',
    key: 'host.test:8443/o/r',
    credentials: { username: 'me', password: 'a/b' },
  });
  t.like(parseRepositoryAddress('http://host.test/r'), { kind: 'http', credentials: undefined });
  t.like(parseRepositoryAddress('/srv/git/r'), { kind: 'path', path: '/srv/git/r' });
  t.like(parseRepositoryAddress('file:///srv/a%20b'), { kind: 'path', path: '/srv/a b' });
  t.like(parseRepositoryAddress('file://elsewhere/%2f'), { kind: 'path', path: undefined });
  t.like(parseRepositoryAddress('https://user:pass/word@host.test/r'), { kind: 'invalid' });
  for (const other of ['git@host.test:o/r.git', 'ssh://host.test/r', 'ftp://host.test/r']) {
    t.is(parseRepositoryAddress(other).kind, 'other', other);
  }
});

test('parseRepositoryAddress() takes any text, quickly', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }),
      (text) => parseRepositoryAddress(text).kind !== undefined,
    ),
  );
  for (const part of ['/', '@', ':', 'a@', '://', '[', '%', 'a.', 'https://']) {
    const ms = fastestMs(() => {
      parseRepositoryAddress(part.repeat(50_000));
      parseRepositoryAddress(`https://${part.repeat(50_000)}`);
    });
    t.true(ms < 500, `${part}: ${ms} ms`);
  }
});

test('repositoryOwner() is the account at a host, however the address is written, or the folder around', (t) => {
  for (const [url, owner] of [
    ['https://user:key@GitHub.com/Ann/guide.git', 'github.com/ann'],
    ['https://gitlab.example:8443/group/sub/guide', 'gitlab.example:8443/group'],
    ['https://git.example/guide.git', 'git.example'],
    ['https://git.example', 'git.example'],
    ['/srv/git/ann/guide.git/', '/srv/git/ann'],
    ['', ''],
  ] as const) {
    t.is(repositoryOwner(url), owner, url);
  }
});

test('hideCredentials() leaves of an address what may be shown, however it is written', (t) => {
  for (const [text, shown] of [
    ['https://github.com/you/guide.git', 'https://github.com/you/guide.git'],
    ['https://me:hunter2@git.example/a/b@c.git?token=x#y', 'https://git.example/a/b@c.git'],
    ['https://me:hun/ter2@git.example:x/a@b', 'https://b'],
    ['ssh://git:hunter2@git.example/a', 'ssh://git.example/a'],
    ['git@github.com:you/guide.git', 'git@github.com:you/guide.git'],
    ['me:hunter2@git.example/a', 'git.example/a'],
    ['https:/me:hunter2@git.example/a', 'git.example/a'],
    ['https//me:hunter2@git.example/a', 'git.example/a'],
    ['//hunter2@git.example/a', 'git.example/a'],
    ['/https:me:hunter2@git.example/a', 'git.example/a'],
    ['/srv/git/a@b', '/srv/git/a@b'],
    ['', ''],
  ] as const) {
    t.is(hideCredentials(text), shown, text);
  }
  for (const part of ['@', 'a@', '://', 'https://@']) {
    const ms = fastestMs(() => hideCredentials(part.repeat(50_000)));
    t.true(ms < 500, `${part}: ${ms} ms`);
  }
});

const meant: Readonly<Record<string, string | undefined>> = {
  'github.com/you/repo': 'https://github.com/you/repo',
  'github.com:you/repo.git': 'https://github.com/you/repo',
  'github.com:6100/repo': 'https://github.com:6100/repo',
  'git@github.com:you/repo': 'https://github.com/you/repo',
  '127.0.0.1:6100/one': 'http://127.0.0.1:6100/one',
  'localhost:6100/one': 'http://localhost:6100/one',
  'gitea:3000/you/repo': 'http://gitea:3000/you/repo',
  'https:/github.com/you/repo': 'https://github.com/you/repo',
  'https//github.com/you/repo': 'https://github.com/you/repo',
  'HTTP:localhost:1/repo': 'http://localhost:1/repo',
  'https:/me:hunter2@github.com/you/repo': undefined,
  'server:repo': undefined,
  '~/repo': undefined,
  guide: undefined,
  '/srv/github.com/you': undefined,
};
for (const [text, url] of Object.entries(meant)) {
  test(`suggestUrl() suggests ${url ?? 'nothing'} for ${text}`, (t) => {
    t.is(suggestUrl(text), url);
  });
}
