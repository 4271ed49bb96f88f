import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { GENERATORS, profileOf } from '../../../builder/generators/generators.ts';

const root = fileURLToPath(new URL('../../../../builder/', import.meta.url));

test('the stages of the engine name no generator: they ask its profile', (t) => {
  const name = new RegExp(`(['"\`])(?:${GENERATORS.join('|')})\\1`);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generators/'))
    .filter((file) => name.test(readFileSync(join(root, file), 'utf8')));
  t.deepEqual(files, []);
});

test('every generator is spelled as it spells itself, with hyphens for blanks', (t) => {
  t.deepEqual(
    GENERATORS.filter((id) => profileOf(id).name.toLowerCase().replaceAll(' ', '-') !== id),
    [],
  );
});
