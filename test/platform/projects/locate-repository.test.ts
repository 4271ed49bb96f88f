import { resolve } from 'node:path';
import test from 'ava';
import { locateRepository } from '../../../platform/projects/locate-repository.ts';

test('locateRepository() does not take a mistyped URL with a password for a path', (t) => {
  for (const text of ['https//me:hunter2@host.test/a.git', 'http:/me:hunter2@host.test/a.git']) {
    t.is(locateRepository(text), text);
  }
  t.is(locateRepository('guide'), resolve('guide'));
  t.is(locateRepository('/srv/a:b/c@1'), '/srv/a:b/c@1');
});

const ADDRESSES = [
  ...['github.com/you/repo', 'github.com:you/repo', 'code.example:6100/one', '127.0.0.1:6100/one', '127.0.0.1/one'],
  ...['localhost:6100/one', 'localhost/one', 'gitea:3000/one', 'server:you/repo', '[::1]:6100/one'],
  ...['https:/github.com/you/repo', 'https//github.com/you/repo', 'https:github.com/you/repo', '~/repo', '~me/repo'],
];
for (const text of ADDRESSES) {
  test(`locateRepository() takes ${text} for a path only where there is one`, (t) => {
    t.is(
      locateRepository(text, () => false),
      text,
    );
    t.is(
      locateRepository(text, () => true),
      resolve(text),
    );
  });
}

test('locateRepository() takes paths for paths, whether there is something or not', (t) => {
  for (const text of ['guide', './a:b/c', '../a', 'docs/a:b', '/srv/a:b', '.', 'a~/b']) {
    t.is(
      locateRepository(text, () => false),
      resolve(text),
    );
  }
});
