import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes `dist/engine.json` after compiling: a hash of the engine's code and of the versions of all packages. It is part
 * of every key of the cache, so that another engine never takes over what this one rendered.
 */
const dist = new URL('../', import.meta.url);
const hash = createHash('sha256');
const files = readdirSync(new URL('builder/', dist), { recursive: true, encoding: 'utf8' });
for (const file of files.filter((name) => name.endsWith('.js')).sort()) {
  hash.update(`${file}\n`).update(readFileSync(new URL(`builder/${file}`, dist)));
}
const lock = new URL('../package-lock.json', dist);
if (existsSync(lock)) hash.update(readFileSync(lock));
writeFileSync(new URL('engine.json', dist), `${JSON.stringify({ version: hash.digest('hex').slice(0, 16) })}\n`);
