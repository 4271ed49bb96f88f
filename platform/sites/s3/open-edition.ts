import pMap from 'p-map';
import { createWorkMemory } from '../../../lib/bounded-map.ts';
import { chooseFile } from '../find-site-file.ts';
import { closeFile } from '../site-files.ts';
import type { FileStamp, FoundFile, OpenFile, PublishedSite, SitePath } from '../site-storage.ts';
import { type ContentCache, isLarge } from './content-cache.ts';
import {
  type Content,
  type EditionFiles,
  type EditionGroups,
  type EditionList,
  findPart,
  parseEdition,
  parseList,
  parsePieces,
  parseRoot,
} from './edition.ts';

/** Returns the list of a folder of a site, or a part of one, at once where it is in memory. */
export type FindList = (project: string, list: Content) => EditionList | Promise<EditionList>;

type ReadContent = Pick<ContentCache, 'read'>;

/** Files and parts of lists that are kept in memory, each about 200 bytes. */
const MAX_FILES = 500_000;
/** Lists that are read at once. */
const LISTS_AT_ONCE = 16;

/** Creates a memory of lists, which editions share. */
export function createListMemory(cache: ReadContent): FindList {
  const lists = createWorkMemory<string, EditionList>({
    maxWeight: MAX_FILES,
    weigh: (list) => (list.kind === 'files' ? list.files.size : list.parts.length) + 1,
  });
  return (project, list) => lists(list.hash, async () => parseList(await cache.read(project, list)));
}

/** The parts of an edition. */
export interface EditionParts {
  /** Its root, its lists and their contents, pieces included. */
  readonly contents: readonly Content[];
  /** Pieces of the contents that are stored in pieces, by the hashes of the contents. */
  readonly pieces: ReadonlyMap<string, readonly Content[]>;
  /** The lists of its root folder. */
  readonly atRoot: readonly EditionFiles[];
}

/** Reads what an edition consists of; nothing for ''. Throws like `ContentCache.read`. */
export async function readEdition(
  project: string,
  edition: string,
  { cache, findList }: { readonly cache: ReadContent; readonly findList: FindList },
): Promise<EditionParts> {
  const root = parseEdition(edition);
  const pieces = new Map<string, readonly Content[]>();
  if (!root) return { contents: [], pieces, atRoot: [] };
  const contents = new Set([root]);
  const atRoot: EditionFiles[] = [];
  for (const [prefix, list] of parseRoot(await cache.read(project, root))) {
    const { files, lists } = await readFiles(project, list, findList);
    if (prefix === '') atRoot.push(files);
    for (const content of [...lists, ...files.values()]) contents.add(content);
  }
  for (const { hash, pieces: list } of [...contents]) {
    if (!list || pieces.has(hash)) continue;
    const all = [list, ...parsePieces(await cache.read(project, list))];
    pieces.set(hash, all);
    for (const content of all) contents.add(content);
  }
  return { contents: [...contents], pieces, atRoot };
}

/** Reads all files of a folder of an edition, and the lists that name them. */
export async function readFiles(
  project: string,
  list: Content,
  findList: FindList,
): Promise<{ readonly files: EditionFiles; readonly lists: readonly Content[] }> {
  const found = await findList(project, list);
  if (found.kind === 'files') return { files: found.files, lists: [list] };
  const read = ([, part]: (typeof found.parts)[number]) => readFiles(project, part, findList);
  const parts = await pMap(found.parts, read, { concurrency: LISTS_AT_ONCE });
  return {
    files: new Map(parts.flatMap(({ files }) => [...files])),
    lists: [list, ...parts.flatMap(({ lists }) => lists)],
  };
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

  /**
   * Looks up what is at paths, in the lists of all folders on the way to a path. What is not in memory is asked for, and looked up again when
   * it is there.
   */
  function withLists<T>(
    guard: Guard,
    path: string,
    look: (lookUp: LookUp) => T,
    here: ReadonlyMap<string, EditionList> = new Map(),
  ): T | Promise<T> {
    const wanted = new Map<string, Promise<EditionList>>();
    const find = (list: Content): EditionList | undefined => {
      const found = here.get(list.hash) ?? findList(project, list);
      if (!(found instanceof Promise)) return found;
      wanted.set(list.hash, found);
      return undefined;
    };
    const folders = listPrefixes(path).flatMap((prefix) =>
      (groups.get(prefix) ?? []).map((list) => ({ prefix, list: find(list) })),
    );
    const result = look((asked) => {
      for (const { prefix, list } of folders) {
        const content =
          list && asked.startsWith(prefix, 1) ? findFile(list, asked.slice(1 + prefix.length)) : undefined;
        if (content) return content;
      }
      return undefined;
    });
    if (wanted.size === 0) return result;
    const arriving = Promise.all([...wanted].map(async ([hash, list]) => [hash, await list] as const));
    return guard(arriving).then((arrived) => withLists(guard, path, look, new Map([...here, ...arrived])));

    function findFile(list: EditionList, within: string): Content | undefined {
      if (list.kind === 'files') return list.files.get(within);
      const part = findPart(list.parts, within);
      const found = part && find(part);
      return found && findFile(found, within);
    }
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

/** Returns the content at a path that begins with `/`. */
type LookUp = (path: string) => Content | undefined;

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
