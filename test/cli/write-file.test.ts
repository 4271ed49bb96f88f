import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { replaceFile, writeNewFile } from '../../cli/write-file.ts';
import { createFolder } from '../helpers/create-repository.ts';

test('replaceFile() keeps the mode of a file, and a link to it', (t) => {
  const folder = createFolder(t);
  const file = join(folder, 'docbuild.yml');
  writeFileSync(file, 'old');
  chmodSync(file, 0o662);
  mkdirSync(join(folder, 'etc'));
  symlinkSync('../docbuild.yml', join(folder, 'etc/docbuild.yml'));
  replaceFile(join(folder, 'etc/docbuild.yml'), 'new');
  t.is(readFileSync(file, 'utf8'), 'new');
  t.is(statSync(file).mode & 0o777, 0o662);
  t.is(readlinkSync(join(folder, 'etc/docbuild.yml')), '../docbuild.yml');
  t.deepEqual(readdirSync(folder).sort(), ['docbuild.yml', 'etc']);
});

test('writeNewFile() leaves a file that exists as it is', (t) => {
  const file = join(createFolder(t), 'docbuild.yml');
  writeNewFile(file, 'first', 0o600);
  t.is(statSync(file).mode & 0o777, 0o600);
  t.throws(() => writeNewFile(file, 'second'), { code: 'EEXIST' });
  t.is(readFileSync(file, 'utf8'), 'first');
});
