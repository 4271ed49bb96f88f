import test from 'ava';
import { findWebUrl } from '../../../builder/git/find-web-url.ts';

const cases: readonly (readonly [string, string | undefined])[] = [
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

for (const [address, expected] of cases) {
  test(`findWebUrl() makes ${address} ${expected}`, (t) => {
    t.is(findWebUrl(address), expected);
  });
}
