import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from './helpers/serial-test.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_LINES = 300;

test('no source file is longer than one reads in one go', (t) => {
  const folders = readdirSync(root).filter((name) => /^(?:api|bench|builder|cli|client|data|lib|platform)$/.test(name));
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = files.filter((file) => file.endsWith('.ts'));
  t.true(sources.length > 100);
  const long = sources.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > MAX_LINES);
  t.deepEqual(long, [], `more than ${MAX_LINES} lines: look for the second subject`);
});
