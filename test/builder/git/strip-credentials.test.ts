import test from 'ava';
import { stripCredentials } from '../../../builder/git/strip-credentials.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';

const cases: readonly (readonly [string, string])[] = [
  ['https://u:p@host.test/x.git', 'https://host.test/x.git'],
  ['HTTPS://token@host.test', 'HTTPS://host.test'],
  ['https://u:p@ss@host.test/x', 'https://host.test/x'],
  ['https://host.test/a@b', 'https://host.test/a@b'],
  ['Cannot reach "https://u:p@h/x" or http://a:b@c', 'Cannot reach "https://h/x" or http://c'],
  ['git@host.test:o/r.git', 'git@host.test:o/r.git'],
  ['ssh://git:secret@host.test/o/r', 'ssh://git@host.test/o/r'],
  ['/home/me@here/docs', '/home/me@here/docs'],
];

for (const [text, expected] of cases) {
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
