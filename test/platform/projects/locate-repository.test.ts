import { resolve } from 'node:path';
import { locateRepository } from '../../../platform/projects/locate-repository.ts';
import test from '../../helpers/serial-test.ts';

test('locateRepository() does not take a mistyped URL with a password for a path', (t) => {
  for (const text of ['https//me:hunter2@host.test/a.git', 'http:/me:hunter2@host.test/a.git']) {
    t.is(locateRepository(text), text);
  }
  t.is(locateRepository('guide'), resolve('guide'));
  t.is(locateRepository('/srv/a:b/c@1'), '/srv/a:b/c@1');
});
