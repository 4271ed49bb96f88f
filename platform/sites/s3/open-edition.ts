import { createWorkMemory } from '../../../lib/bounded-map.ts';
import { chooseFile } from '../find-site-file.ts';
import { closeFile } from '../site-files.ts';
import type { FileStamp, FoundFile, OpenFile, PublishedSite, SitePath } from '../site-storage.ts';
import { type ContentCache, isLarge } from './content-cache.ts';
import { type Content, type EditionFiles, type EditionGroups, parseEdition, parseList, parseRoot } from './edition.ts';

/** Returns the files of a folder of a site, at once where they are in memory. */
export type FindList = (project: string, list: Content) => EditionFiles | Promise<EditionFiles>;

/** Files of lists that are kept in memory, each about 200 bytes. */
const MAX_FILES = 500_000;

/** Creates a memory of lists, which editions share. */
export function createListMemory(cache: Pick<ContentCache, 'read'>): FindList {
  const lists = createWorkMemory<string, EditionFiles>({ maxWeight: MAX_FILES, weigh: ({ size }) => size + 1 });
  return (project, list) => lists(list.hash, async () => parseList(await cache.read(project, list)));
}

/** The parts of an edition. */
export interface EditionParts {
  /** Its root, its lists and their contents. */
  readonly contents: readonly Content[];
  /** The lists of its root folder. */
  readonly atRoot: readonly EditionFiles[];
}

/** Reads what an edition consists of; nothing for ''. Throws like `ContentCache.read`. */
export async function readEdition(
  project: string,
  edition: string,
  { cache, findList }: { readonly cache: Pick<ContentCache, 'read'>; readonly findList: FindList },
): Promise<EditionParts> {
  const root = parseEdition(edition);
  if (!root) return { contents: [], atRoot: [] };
  const contents = new Set([root]);
  const atRoot: EditionFiles[] = [];
  for (const [prefix, list] of parseRoot(await cache.read(project, root))) {
    contents.add(list);
    const files = await findList(project, list);
    if (prefix === '') atRoot.push(files);
    for (const content of files.values()) contents.add(content);
  }
  return { contents: [...contents], atRoot };
}

/** Bounds how long a reader waits, and says so where something cannot be had. */
export type Guard = <T>(work: Promise<T>) => Promise<T>;

/** Opens an edition, from its root, for readers who each have a guard. What it lacks in memory and on disk comes from S3. */
export function openEdition(options: {
  readonly project: string;
  readonly groups: EditionGroups;
  readonly cache: ContentCache;
  readonly findList: FindList;
}): (guard: Guard) => PublishedSite {
  const { project, cache, findList } = options;
  const groups = new Map<string, Content[]>();
  for (const [prefix, list] of options.groups) groups.set(prefix, [...(groups.get(prefix) ?? []), list]);

  return (guard) => ({
    id: `s3:${project}`,
    find: (asked) => withLists(guard, asked.path, (lookUp) => choose(lookUp, asked)),
    open: async (path) => {
      const content = await withLists(guard, path, (lookUp) => lookUp(path));
      if (!content) return undefined;
      const opening = openContent(content);
      return guard(opening).catch((error) => {
        // A file that comes too late is closed.
        opening.then(closeFile, () => {});
        throw error;
      });
    },
    async readCompressed(path, { content, compression, maxBytes }) {
      const found = await withLists(guard, path, (lookUp) => lookUp(path));
      if (found?.hash !== content.hash) return undefined;
      // The plain body can be sent.
      const body = await guard(cache.readCompressed(project, found, compression)).catch(() => undefined);
      return body && body.length <= maxBytes ? body : undefined;
    },
  });

  /** Looks up what is at paths, in the lists of all folders on the way to a path. */
  function withLists<T>(guard: Guard, path: string, look: (lookUp: LookUp) => T): T | Promise<T> {
    const lists: { readonly prefix: string; readonly files: EditionFiles | Promise<EditionFiles> }[] = [];
    let isWaiting = false;
    for (const prefix of listPrefixes(path)) {
      for (const list of groups.get(prefix) ?? []) {
        const files = findList(project, list);
        isWaiting ||= files instanceof Promise;
        lists.push({ prefix, files });
      }
    }
    if (!isWaiting) return look(createLookUp(lists as readonly KnownList[]));
    return guard(Promise.all(lists.map(async ({ prefix, files }) => ({ prefix, files: await files })))).then((known) =>
      look(createLookUp(known)),
    );
  }

  async function openContent(content: Content): Promise<OpenFile> {
    const stamp = stampOf(content);
    const { hash, size } = content;
    if (isLarge(content)) {
      return { stamp, hash, descriptor: await cache.open(project, content) };
    }
    return { stamp, descriptor: -1, content: { hash, size, body: await cache.read(project, content) } };
  }
}

interface KnownList {
  readonly prefix: string;
  readonly files: EditionFiles;
}

/** Returns the content at a path that begins with `/`. */
type LookUp = (path: string) => Content | undefined;

function createLookUp(lists: readonly KnownList[]): LookUp {
  return (path) => {
    for (const { prefix, files } of lists) {
      const content = path.startsWith(prefix, 1) ? files.get(path.slice(1 + prefix.length)) : undefined;
      if (content) return content;
    }
    return undefined;
  };
}

function choose(lookUp: LookUp, asked: SitePath): FoundFile {
  const find = (path: string): FileStamp | 'folder' | undefined => {
    const content = lookUp(path);
    // Of folders only those matter that have an index.
    return content ? stampOf(content) : lookUp(`${path}/index.html`) && 'folder';
  };
  return chooseFile(find, asked);
}

/** Returns the folders above a path, and the one that it may be: '' or with a final `/`. */
function listPrefixes(path: string): readonly string[] {
  const prefixes = [''];
  for (let slash = path.indexOf('/', 1); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    prefixes.push(path.slice(1, slash + 1));
  }
  if (!path.endsWith('/')) prefixes.push(`${path.slice(1)}/`);
  return prefixes;
}

const stamps = new WeakMap<Content, FileStamp>();

/** Returns a stamp that is equal where contents are, and no file's. */
function stampOf(content: Content): FileStamp {
  let stamp = stamps.get(content);
  if (!stamp) {
    stamp = { dev: -1n, ino: BigInt(`0x${content.hash.slice(0, 32)}`), size: BigInt(content.size), mtimeNs: 0n };
    stamps.set(content, stamp);
  }
  return stamp;
}
