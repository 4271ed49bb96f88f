import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { diskUsage } from '../../../bench/measure/disk-usage.ts';
import { createFolder } from '../../helpers/create-repository.ts';

test.serial('diskUsage() counts a file with two names once', (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'one'), Buffer.alloc(1_000_000, 1));
  const before = diskUsage(folder);
  t.true(before >= 1_000_000 && before < 1_100_000, `${before}`);
  linkSync(join(folder, 'one'), join(folder, 'two'));
  t.is(diskUsage(folder), before);
});
