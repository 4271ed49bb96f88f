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
import { withUsualV8Flags } from '../platform/builds/v8-flags.ts';

/** One release of docbuild leaves some 40 files, 4 MB, for each version of Node.js. */
const MAX_FILES = 500;
/** The last process that looks whether it has more to keep. */
const LAST_TURN = 64;
/** The checksum of the compiled code, 4 bytes; the rest is free, so that the code is aligned. */
const HEADER_BYTES = 8;
/** What a folder for one version of Node.js is called: with other flags of its command line it is another one. */
const RUNTIME_NAME = /^v\d+\.\d+\.\d+\S*-\w+-[0-9a-f]+$/;
/** A temporary file older than this was left by a process that died. */
const STALE_MS = 3_600_000;

/** What a module is called with. */
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
 * of `import()`. Their compiled code, with all functions that ran, is kept in a folder when the process exits, and the next process need
 * not compile them: most of what a short process does. Other functions run in other processes: the second one, the fourth, the eighth, …
 * look whether they have more to keep. (Node.js 22 and later have `module.enableCompileCache()`, which keeps only what the first process
 * ran.) Compiled code is used only if it is whole, it and its folders belong to this user, and nobody else may write to them. Without
 * a folder, and where nothing can be kept, modules are compiled.
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
      const requireFrom = (id: string) => (id.startsWith('./') ? load(join(dirname(path), id)) : requireOther(id));
      const run = kept.compile(path).runInThisContext() as ModuleFunction;
      run(module.exports, requireFrom, module, path, dirname(path), importModule);
    } catch (error) {
      // What asks for it again tries again.
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

/** A module that was compiled, or read from the folder. */
interface CompiledModule {
  /** Of its file in the folder. */
  readonly name: string;
  readonly script: vm.Script;
  /** Size of the compiled code that was read, in bytes. */
  readonly keptBytes: number;
}

function openCodeCache(cacheFolder: string | undefined): { compile(path: string): vm.Script } {
  const tag = cachedDataVersionTag();
  const runtime = `${process.version}-${process.arch}-${tag.toString(16)}`;
  const folder = cacheFolder !== undefined && process.getuid ? join(cacheFolder, runtime) : undefined;
  const isSafe = folder !== undefined && isOwnPlace(cacheFolder!, folder);
  const modules: CompiledModule[] = [];
  if (folder !== undefined) process.once('exit', () => withUsualV8Flags(keep));

  return {
    compile(path) {
      const source = readFileSync(path, 'utf8');
      // V8 compares only lengths, and takes the path in error messages from what was kept.
      const name = `${basename(path)}-${crc32(source, crc32(path)).toString(16)}`;
      const cachedData = isSafe ? readCode(join(folder, name)) : undefined;
      const options = { filename: path, columnOffset: -BEFORE.length, ...(cachedData && { cachedData }) };
      const script = withUsualV8Flags(() => new vm.Script(`${BEFORE}${source}${AFTER}`, options));
      const keptBytes = cachedData && !script.cachedDataRejected ? cachedData.length : 0;
      modules.push({ name, script, keptBytes });
      return script;
    },
  };

  function keep(): void {
    // With flags that others have set, the next process would refuse the code.
    if (cachedDataVersionTag() !== tag) return;
    try {
      const isNew = modules.some(({ keptBytes }) => keptBytes === 0);
      const isEmpty = isNew && makeFolder(cacheFolder!, folder!);
      if (!isTurn(folder!, isNew)) return;
      for (const { name, script, keptBytes } of modules) {
        const data = script.createCachedData();
        if (isEmpty || data.length > keptBytes) writeCode(join(folder!, name), data);
      }
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
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & closed) === 0;
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

/** Makes the folder; returns whether what was kept was removed, since earlier releases had left too much. Throws where it must not be. */
function makeFolder(cacheFolder: string, folder: string): boolean {
  const missing: string[] = [];
  for (let path = folder; !statSync(path, { throwIfNoEntry: false }); path = dirname(path)) missing.unshift(path);
  // Run by root with the home folder of somebody else, who could not write there any more.
  if (process.getuid?.() === 0 && missing[0] !== undefined && statSync(dirname(missing[0])).uid !== 0)
    throw new Error('The folder belongs to another user');
  for (const path of missing) makeUnlessThere(path);
  if (!isOwnPlace(cacheFolder, folder)) throw new Error('Others may write to the folder');
  const files = readdirSync(cacheFolder)
    .filter((name) => RUNTIME_NAME.test(name))
    .flatMap((name) => listFiles(join(cacheFolder, name)));
  const isFull = files.length > MAX_FILES;
  for (const file of files) if (isFull || isStale(file)) rmSync(file, { force: true });
  return isFull;
}

function makeUnlessThere(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function listFiles(folder: string): readonly string[] {
  if (!isOwnFolder(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(folder, entry.name)] : [],
  );
}

function isStale(path: string): boolean {
  return path.endsWith('.tmp') && Date.now() - statSync(path).mtimeMs > STALE_MS;
}

/** Counts this process, by the size of a file, and returns whether it looks for more to keep. */
function isTurn(folder: string, isNew: boolean): boolean {
  const path = join(folder, 'processes');
  if (!isNew && statSync(path).size >= LAST_TURN) return false;
  writeFileSync(path, '.', { flag: isNew ? 'w' : 'a', mode: 0o600 });
  return Number.isInteger(Math.log2(statSync(path).size));
}
