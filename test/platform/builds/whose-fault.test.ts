import test from 'ava';
import { BuildError } from '../../../builder/index.ts';
import { DataError } from '../../../data/data-error.ts';
import { codeOf, endFor } from '../../../platform/builds/whose-fault.ts';

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

test('whose fault: what the machine refuses lets a build wait, also where it is the cause of another error', (t) => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']) {
    const cause = new Error('Cannot read', { cause: systemError(code) });
    for (const error of [systemError(code), new BuildError('damaged-repository', 'Cannot read', { cause })]) {
      t.deepEqual(endFor(codeOf(error), 'why'), { status: 'deferred', reason: 'why' }, code);
    }
  }
  for (const code of ['unwritable', 'busy'] as const) {
    t.is(endFor(codeOf(new DataError(code, 'The database is away')), '').status, 'deferred');
  }
});

test('whose fault: what nobody has foreseen, and a server that did not answer, are no sure failures', (t) => {
  for (const error of [systemError('ENOENT'), new TypeError('Wrong'), new BuildError('network', 'No answer'), 'text']) {
    t.deepEqual(endFor(codeOf(error), 'why'), { status: 'failing', reason: 'why', isUnsure: true });
  }
  t.deepEqual(endFor(codeOf(new BuildError('no-pages', 'There are no pages')), ''), { status: 'failing', reason: '' });
});
