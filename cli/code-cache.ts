import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import vm from 'node:vm';
import { crc32 } from 'node:zlib';
import { withDefaultV8Flags } from '../platform/builds/v8-flags.ts';

/** One release of docbuild leaves some 40 files, 4 MB, for each version of Node.js. */
const MAX_FILES = 500;
/** The checksum of the compiled code, 4 bytes; the rest is free, so that the code is aligned. */
const HEADER_BYTES = 8;

/** Signature of a module's wrapper. */
type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: { readonly exports: unknown },
  file: string,
  folder: string,
  importModule: (id: string) => Promise<unknown>,
) => void;

const BEFORE = '(function (exports, require, module, __filename, __dirname, importModule) {';
const AFTER = '\n})';

/**
 * Loads a CommonJS module and the modules beside it that it requires, and returns what it exports. A module calls `importModule()` instead
 * of `import()`. Their compiled code, with all functions that ran, is kept in a folder when the first process exits that has loaded
 * them, and the next one need not compile them: a third of what a short process does. `module.enableCompileCache()` does the same
 * from Node.js 22 on, nearly as fast (docs/decisions/0017), and takes the place of this file when Node.js 20 is given up. Compiled code
 * is used only if it is whole, it and its folders belong to this user, and nobody else may write to them. Without a folder, and where
 * nothing can be kept, modules are compiled.
 */
export function loadWithCodeCache(file: string, cacheFolder: string | undefined): unknown {
  const kept = openCodeCache(cacheFolder);
  const modules = new Map<string, { exports: unknown }>();
  const load = (path: string): unknown => {
    const known = modules.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(path, module);
    try {
      const requireOther = createRequire(path);
      const requireFrom = (id: string) => (/^\.\.?\//.test(id) ? load(join(dirname(path), id)) : requireOther(id));
      const run = kept.compile(path).runInThisContext() as ModuleFunction;
      run(module.exports, requireFrom, module, path, dirname(path), importModule);
    } catch (error) {
      // The next caller tries again.
      modules.delete(path);
      throw error;
    }
    return module.exports;
  };
  return load(file);
}

/** Imports a package or a module of Node.js. */
function importModule(id: string): Promise<unknown> {
  return import(id);
}

function openCodeCache(cacheFolder: string | undefined): { compile(path: string): vm.Script } {
  const tag = cachedDataVersionTag();
  const runtime = `${process.version}-${process.arch}-${tag.toString(16)}`;
  const folder = cacheFolder !== undefined && process.getuid ? join(cacheFolder, runtime) : undefined;
  const isSafe = folder !== undefined && isOwnPlace(cacheFolder!, folder);
  /** Modules that were compiled, by the names of their files in the folder. */
  const fresh = new Map<string, vm.Script>();
  if (folder !== undefined) process.once('exit', () => fresh.size > 0 && withDefaultV8Flags(keep));

  return {
    compile(path) {
      const source = readFileSync(path, 'utf8');
      // V8 compares only lengths, and takes the path in error messages from what was kept.
      const name = `${basename(path)}-${crc32(source, crc32(path)).toString(16)}`;
      const cachedData = isSafe ? readCode(join(folder, name)) : undefined;
      const options = { filename: path, columnOffset: -BEFORE.length, ...(cachedData && { cachedData }) };
      const script = withDefaultV8Flags(() => new vm.Script(`${BEFORE}${source}${AFTER}`, options));
      if (!cachedData || script.cachedDataRejected) fresh.set(name, script);
      return script;
    },
  };

  function keep(): void {
    // With flags that others have set, the next process would refuse the code.
    if (cachedDataVersionTag() !== tag) return;
    try {
      makeFolder(cacheFolder!, folder!);
      for (const [name, script] of fresh) writeCode(join(folder!, name), script.createCachedData());
    } catch {
      // A full disk, a folder that cannot be written: the next process compiles.
    }
  }
}

/** Whether this user has the folders, and nobody else may write to them. */
function isOwnPlace(cacheFolder: string, folder: string): boolean {
  // The folder of all caches may be open to the user's group.
  return isOwnFolder(dirname(cacheFolder), 0o002) && isOwnFolder(cacheFolder) && isOwnFolder(folder);
}

function isOwnFolder(path: string, closed = 0o022): boolean {
  try {
    const stat = lstatSync(path);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & closed) === 0;
  } catch {
    return false;
  }
}

function readCode(path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0) return undefined;
    const content = readFileSync(descriptor);
    const data = content.subarray(HEADER_BYTES);
    return content.length > HEADER_BYTES && crc32(data) === content.readUInt32LE(0) ? data : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function writeCode(path: string, data: Buffer): void {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(crc32(data), 0);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, Buffer.concat([header, data]), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Makes the folder, and empties all where earlier versions have left too much. Throws where it must not be. */
function makeFolder(cacheFolder: string, folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !statSync(path, { throwIfNoEntry: false }); path = dirname(path)) missing.unshift(path);
  // Run by root with the home folder of somebody else, who could not write there any more.
  if (process.getuid?.() === 0 && missing[0] !== undefined && statSync(dirname(missing[0])).uid !== 0)
    throw new Error('The folder belongs to another user');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwnPlace(cacheFolder, folder)) throw new Error('Others may write to the folder');
  if (readdirSync(cacheFolder, { recursive: true }).length <= MAX_FILES) return;
  for (const name of readdirSync(cacheFolder)) {
    if (/^v\d+/.test(name)) rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
  mkdirSync(folder, { mode: 0o700 });
}
