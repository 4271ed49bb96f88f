import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Writes `dist/engine.json` after compiling: a hash of the engine's code, of templates, stylesheet and script, and of
 * the versions of all packages. It is part of every key of the cache, so that no engine ever uses what another one
 * rendered.
 */
const dist = new URL('../', import.meta.url);
const hash = createHash('sha256');
for (const [folder, pattern] of [
  ['builder/', /\.js$/],
  ['lib/', /\.js$/],
  ['client/', /\.(?:js|css)$/],
  ['../templates/', /./],
] as const) {
  const files = readdirSync(new URL(folder, dist), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  for (const file of files.sort()) hash.update(`${basename(file)}\n`).update(readFileSync(file));
}
const lock = new URL('../package-lock.json', dist);
if (existsSync(lock)) hash.update(readFileSync(lock));
writeFileSync(new URL('engine.json', dist), `${JSON.stringify({ version: hash.digest('hex').slice(0, 16) })}\n`);
