import { hash } from 'node:crypto';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { runWithin, TookTooLong } from '../../lib/run-within.ts';
import { BuildError } from '../build-error.ts';
import { type Cache, defineCacheKind } from '../cache/cache.ts';
import { judgeEntryName } from '../entry-name.ts';
import {
  type Extension,
  ExtensionFailure,
  type ExtensionMeter,
  type MadeFile,
  runExtension,
  runExtensionSoon,
  takeRunning,
  type VersionFiles,
} from '../extension.ts';
import { createBuiltIn } from '../extensions/built-in.ts';
import type { ObjectReader } from '../model.ts';
import { isPageFile } from '../page-path.ts';
import type { SourceFile } from '../source/files/walk-tree.ts';
import { type ExtensionContext, stateless } from './pages/page-extensions.ts';
import type { FileMaker, MadeFiles } from './versions/version-source.ts';

/** Files of one extension in a version, and of all of them, and characters of each. */
const MAX_FILES = 5_000;
const MAX_LENGTH = 5_000_000;
/** Characters of a path, and of a mistake. */
const MAX_PATH = 500;
const MAX_MESSAGE = 1_000;

/** Files that an extension made of a version. */
interface Made {
  readonly files: readonly MadeFile[];
  readonly mistakes: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

const MADE = defineCacheKind<Made>('made-files', { maxEntries: 50 });
/** Paths of files that an extension read. */
const READ = defineCacheKind<readonly string[]>('made-files-read', { maxEntries: 200 });

/** Contents that are in no repository. */
export interface MadeObjects {
  /** Reads them like blobs. */
  readonly reader: ObjectReader;
  /** Returns the id of a content, that of a blob with it. */
  add(text: string): string;
  /** Returns the id of a content that cannot be had: to read it throws `extension` with this message. */
  refuse(message: string): string;
}

const KEPT_BYTES = 32_000_000;

/** Adds contents to those of a repository. They are in the cache, so that they need no memory until they are read. */
export function createMadeObjects(reader: ObjectReader, cache: Cache): MadeObjects {
  const kept = createBoundedMap<string, Buffer>({ maxWeight: KEPT_BYTES, weigh: ({ length }) => length });
  const made = new Set<string>();
  const refused = new Map<string, string>();
  return {
    reader: {
      readCommit: (oid) => reader.readCommit(oid),
      readTree: (oid) => reader.readTree(oid),
      async readBlob(oid) {
        const refusal = refused.get(oid);
        if (refusal !== undefined) throw new BuildError('extension', refusal);
        if (!made.has(oid)) return reader.readBlob(oid);
        const content = kept.get(oid) ?? cache.read(cache.key('made', [oid]), (value) => Buffer.from(value));
        if (content) return content;
        throw new BuildError('worker', 'A file that an extension made disappeared from the cache; build again');
      },
      get past() {
        return reader.past;
      },
    },
    add(text) {
      const content = Buffer.from(text);
      const oid = hash('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), 'hex');
      if (made.has(oid)) return oid;
      made.add(oid);
      kept.set(oid, content);
      cache.set(cache.key('made', [oid]), content);
      return oid;
    },
    refuse(message) {
      const oid = cache.key('refused', [message]);
      refused.set(oid, message);
      return oid;
    },
  };
}

/** Creates what makes the files of versions: docbuild's own extensions by a project's settings, then those that are code. */
export function createFileMaker(
  extensions: readonly Extension[],
  context: ExtensionContext & { readonly objects: MadeObjects },
): FileMaker {
  const { configKey, texts, cache, objects, meters } = context;
  const coded = extensions.flatMap((extension) =>
    extension.pages === undefined ? [] : [{ extension, key: JSON.stringify([configKey, extension.name]) }],
  );
  const transforms = extensions.flatMap(({ name, transform: change, applies }) =>
    change === undefined ? [] : [{ name, change, applies: applies && stateless(applies) }],
  );
  return async ({ project, sourceFolder, find, files: own, ...version }) => {
    const all = [...createBuiltIn(project.extensions ?? {}), ...coded];
    const languages = all.length > 0 ? version.findLanguages() : [];
    const result = {
      files: [] as SourceFile[],
      mistakes: [] as MadeFiles['mistakes'][number][],
      changed: new Map<string, string>(),
    };
    for (const { extension, key } of all) {
      const { files, mistakes } = await makeFiles(extension, JSON.stringify([key, sourceFolder, languages]), {
        sourceFolder,
        languages,
        find,
      });
      result.mistakes.push(...mistakes);
      for (const { path, text, from } of files) {
        result.files.push({ path, oid: objects.add(text), isMade: true, ...(from !== undefined && { origin: from }) });
      }
    }
    for (const file of transforms.length > 0 ? own : []) {
      if (!isPageFile(file.path) || file.isLeftOut) continue;
      const oid = await transform(file.oid, file.origin ?? sourceFolder + file.path);
      if (oid !== file.oid) result.changed.set(file.path, oid);
    }
    return result;
  };

  /** Returns the content of a page as extensions change it, one after the other. */
  async function transform(given: string, path: string): Promise<string> {
    let oid = given;
    for (const { name, change, applies } of transforms) {
      const parts = [configKey, name, path, oid];
      const { text, failure } = await cache.memo(CHANGED, parts, async () => {
        const source = await texts.read(oid);
        if (source === undefined || (applies && !applies.test(source))) return {};
        return changeText(meters.of(name), () => change({ path, text: source }));
      });
      if (failure !== undefined) return objects.refuse(failure);
      if (text !== undefined) oid = objects.add(text);
    }
    return oid;
  }

  /** Runs an extension unless it has made files of the same content before. */
  async function makeFiles(
    extension: Extension,
    key: string,
    {
      sourceFolder,
      languages,
      find,
    }: Pick<VersionFiles, 'languages'> & Pick<Parameters<FileMaker>[0], 'sourceFolder' | 'find'>,
  ): Promise<Made> {
    const looked = new Map<string, string>();
    const look = async (path: string): Promise<string> => {
      const entry = looked.has(path) ? undefined : await find(path);
      const oid = looked.get(path) ?? (entry?.kind === 'file' ? entry.oid : '');
      looked.set(path, oid);
      return oid;
    };
    const paths = cache.recall(READ, [key]);
    for (const path of paths ?? []) await look(path);
    const known = paths && cache.recall(MADE, [key, JSON.stringify([...looked])]);
    if (known) return known;
    looked.clear();
    const mistakes: Made['mistakes'][number][] = [];
    try {
      const files = await runExtensionSoon(meters.of(extension.name), () =>
        extension.pages!({
          folder: sourceFolder,
          languages,
          async read(path) {
            const oid = await look(path.replace(/^\.?\//, ''));
            return oid === '' ? undefined : texts.read(oid);
          },
          report: (mistake) => {
            if (mistakes.length < 100) mistakes.push(checkMistake(mistake));
          },
        }),
      );
      if (!Array.isArray(files)) throw new ExtensionFailure(extension.name, '"pages" must return a list of files');
      const checked = files.map((file) => checkFile(file, extension.name));
      const made = { files: checked.filter((file) => isNamed(file, mistakes)), mistakes };
      if (files.length > MAX_FILES) throw new ExtensionFailure(extension.name, `it makes more than ${MAX_FILES} files`);
      cache.keep(READ, [key], [...looked.keys()]);
      return cache.keep(MADE, [key, JSON.stringify([...looked])], made);
    } catch (error) {
      if (!(error instanceof ExtensionFailure)) throw error;
      return { files: [], mistakes: [...mistakes, { file: '', line: 0, message: error.message }] };
    }
  }
}

/** The longest time for the source of a page, in ms. */
const MAX_PAGE_MS = 10_000;

/** A source that an extension changed, or why it could not; neither = it stays. */
interface Changed {
  readonly text?: string;
  readonly failure?: string;
}

const CHANGED = defineCacheKind<Changed>('changed-source', { maxEntries: 20_000 });

function changeText(meter: ExtensionMeter, change: () => string | undefined): Changed {
  try {
    const text: unknown = runWithin(MAX_PAGE_MS, () => runExtension(meter, change), takeRunning);
    if (text === undefined) return {};
    if (typeof text === 'string' && text.length <= MAX_LENGTH) return { text };
    return {
      failure: `Extension "${meter.name}" failed: "transform" must return a string of at most ${MAX_LENGTH} characters, or nothing`,
    };
  } catch (error) {
    if (error instanceof TookTooLong) takeRunning();
    else if (!(error instanceof ExtensionFailure)) throw error;
    return {
      failure: error instanceof TookTooLong ? `Extension "${meter.name}" takes too long at this page` : error.message,
    };
  }
}

/** Code need not keep to types. */
function checkMistake(mistake: Partial<Made['mistakes'][number]> | undefined): Made['mistakes'][number] {
  const { file, line, message } = mistake ?? {};
  if (typeof message !== 'string' || message === '') throw new TypeError('"report" must be called with a "message"');
  return {
    file: typeof file === 'string' ? file : '',
    line: Number.isSafeInteger(line) && line! > 0 ? line! : 0,
    message: message.slice(0, MAX_MESSAGE),
  };
}

/** Returns whether a file has a name that every system can have; reports one that has not, as is done with those of a repository. */
function isNamed({ path, from }: MadeFile, mistakes: Made['mistakes'][number][]): boolean {
  for (const part of path.split('/')) {
    const judged = judgeEntryName(part);
    if (judged.verdict === 'ok') continue;
    mistakes.push({ file: from ?? '', line: 0, message: `Not added: "${path}", since ${judged.why}` });
    return false;
  }
  return true;
}

function checkFile(file: Partial<MadeFile> | undefined, name: string): MadeFile {
  const { path, text, from } = file ?? {};
  if (typeof path !== 'string' || typeof text !== 'string') {
    throw new ExtensionFailure(name, 'files that it makes must have "path" and "text", both strings');
  }
  const normal = path.normalize('NFC').replace(/^\.\//, '');
  const isWrong = normal === '' || normal.length > MAX_PATH || /[\\\p{Cc}]/u.test(normal) || normal.startsWith('/');
  if (isWrong || normal.split('/').some((part) => part === '' || part === '..' || part.startsWith('.'))) {
    throw new ExtensionFailure(
      name,
      `"${path}" must be a path below the folder of the documentation, such as "reference/api.md"`,
    );
  }
  if (text.length > MAX_LENGTH) throw new ExtensionFailure(name, `"${path}" has more than ${MAX_LENGTH} characters`);
  return { path: normal, text, ...(from !== undefined && { from: String(from).replace(/^\.?\//, '') }) };
}
