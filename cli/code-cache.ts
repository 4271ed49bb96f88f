import {
  closeSync,
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

/** One release of docbuild leaves some 60 files, 5 MB, for each version of Node.js. */
const MAX_FILES = 500;
/** A process is the first one that finds all code kept, the second one, …; the last one that looks whether it has more to keep. */
const LAST_TURN = 64;
/** Checksums of the source and of the compiled code, 4 bytes each; the rest is free, so that the code is aligned. */
const HEADER_BYTES = 16;

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
 * of `import()`. Their compiled code, with all functions
 * that ran, is kept in a folder when the process exits, and the next process need not compile them: most of what a short process does.
 * Other functions run in other processes: after 1, 2, 4, … of them what is kept grows, if there is more. (Node.js 22 and later have
 * `module.enableCompileCache()`, which keeps only what the first process ran.) Compiled code is used only if it belongs to this user,
 * nobody else may write to it and it is whole. Without a folder, and where nothing can be kept, modules are compiled.
 */
export function loadWithCodeCache(file: string, cacheFolder: string | undefined): unknown {
  const kept = openCodeCache(cacheFolder);
  const modules = new Map<string, { exports: unknown }>();
  const load = (path: string): unknown => {
    const known = modules.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(path, module);
    const requireOther = createRequire(path);
    const requireFrom = (id: string) => (id.startsWith('./') ? load(join(dirname(path), id)) : requireOther(id));
    const run = kept.compile(path).runInThisContext() as ModuleFunction;
    run(module.exports, requireFrom, module, path, dirname(path), importModule);
    return module.exports;
  };
  return load(file);
}

/** A module that was compiled, or read from the folder. */
interface CompiledModule {
  readonly path: string;
  readonly sourceSum: number;
  readonly script: vm.Script;
  /** Size of the compiled code that was read, in bytes. */
  readonly keptBytes: number;
}

/** Imports a package or a module of Node.js. */
function importModule(id: string): Promise<unknown> {
  return import(id);
}

function openCodeCache(cacheFolder: string | undefined): { compile(path: string): vm.Script } {
  const owner = process.getuid?.();
  const tag = cachedDataVersionTag();
  const runtime = `${process.version}-${process.arch}-${tag.toString(16)}`;
  const folder = cacheFolder !== undefined && owner !== undefined ? join(cacheFolder, runtime) : undefined;
  const modules: CompiledModule[] = [];
  if (folder !== undefined) process.once('exit', keep);

  return {
    compile(path) {
      const source = readFileSync(path, 'utf8');
      const sourceSum = crc32(source);
      const cachedData = read(basename(path), sourceSum);
      const script = new vm.Script(`${BEFORE}${source}${AFTER}`, {
        filename: path,
        columnOffset: -BEFORE.length,
        ...(cachedData && { cachedData }),
      });
      const keptBytes = cachedData && !script.cachedDataRejected ? cachedData.length : 0;
      modules.push({ path, sourceSum, script, keptBytes });
      return script;
    },
  };

  function read(name: string, sourceSum: number): Buffer | undefined {
    if (folder === undefined) return undefined;
    let descriptor: number;
    try {
      descriptor = openSync(join(folder, name), 'r');
    } catch {
      return undefined;
    }
    try {
      const { uid, mode } = fstatSync(descriptor);
      if (uid !== owner || (mode & 0o022) !== 0) return undefined;
      const content = readFileSync(descriptor);
      if (content.length < HEADER_BYTES || content.readUInt32LE(0) !== sourceSum) return undefined;
      const data = content.subarray(HEADER_BYTES);
      return crc32(data) === content.readUInt32LE(4) ? data : undefined;
    } catch {
      return undefined;
    } finally {
      closeSync(descriptor);
    }
  }

  function keep(): void {
    // With other flags than at the start, the next process would refuse the code.
    if (cachedDataVersionTag() !== tag) return;
    try {
      const isNew = modules.some(({ keptBytes }) => keptBytes === 0);
      const isEmpty = isNew && makeRoom(cacheFolder!, folder!);
      if (!isTurn(folder!, isNew)) return;
      for (const { path, sourceSum, script, keptBytes } of modules) {
        const data = script.createCachedData();
        if (isEmpty || data.length > keptBytes) write(join(folder!, basename(path)), sourceSum, data);
      }
    } catch {
      // A full disk, a folder that cannot be written: the next process compiles.
    }
  }
}

/** Creates the folder, and returns whether all was removed, since earlier releases had left too much. */
function makeRoom(cacheFolder: string, folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(cacheFolder).uid !== process.getuid?.()) throw new Error('The folder belongs to another user');
  if (readdirSync(cacheFolder, { recursive: true }).length <= MAX_FILES) return false;
  rmSync(cacheFolder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return true;
}

/** Counts this process, by the size of a file, and returns whether it looks for more to keep. */
function isTurn(folder: string, isNew: boolean): boolean {
  const path = join(folder, 'processes');
  if (!isNew && statSync(path).size >= LAST_TURN) return false;
  writeFileSync(path, '.', { flag: isNew ? 'w' : 'a', mode: 0o600 });
  return Number.isInteger(Math.log2(statSync(path).size));
}

function write(path: string, sourceSum: number, data: Buffer): void {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(sourceSum, 0);
  header.writeUInt32LE(crc32(data), 4);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, Buffer.concat([header, data]), { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}
