import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { compressedFolder, createPrecompressor } from '../../../platform/sites/precompressor.ts';
import { createFolder } from '../../helpers/create-repository.ts';

test('keep-compressed writes nothing beside a site that it was told to forget', async (t) => {
  const root = createFolder(t);
  const [gone, stays] = ['gone', 'stays'].map((name) => join(root, name, 'site'));
  for (const folder of [gone!, stays!]) {
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < 50; i++) writeFileSync(join(folder, `${i}.html`), `<p>${i}</p>`.repeat(1_000));
  }
  const errors: unknown[] = [];
  const keeper = createPrecompressor((error) => errors.push(error));
  keeper.refresh(gone!);
  keeper.refresh(stays!);
  await keeper.forget(gone!);
  rmSync(join(root, 'gone'), { recursive: true });
  while (!existsSync(join(compressedFolder(stays!), 'index.json'))) await new Promise(setImmediate);
  await keeper.close();
  t.false(existsSync(join(root, 'gone')));
  t.deepEqual(errors, []);
});
