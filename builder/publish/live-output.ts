import type { Output } from './open-output.ts';
import type { PublishOptions } from './publish-site.ts';
import { type FileList, type SiteFiles, siteId } from './site-files.ts';
import type { SiteManifest } from './site-manifest.ts';

/** A site of which nothing is written: its contents are made when they are asked for. */
export interface LiveSite {
  list(): readonly string[];
  /** Returns the key of the content at a path such as `en/latest/index.html`; undefined where there is no file. */
  find(path: string): string | undefined;
  /** Makes the content at a path; undefined where there is no file. Throws where it cannot be made (any more). */
  read(path: string): Promise<Uint8Array> | undefined;
}

export interface LiveOutput extends Pick<Output, 'published' | 'publish' | 'prepareNext' | 'takeDown'> {
  readonly site: LiveSite;
  /** Replaces a content of a list of files, wherever the site has the list, until `restore` is called. */
  replace(list: FileList, path: string, content: LiveContent): void;
  restore(): void;
}

/** A content and its key. */
export interface LiveContent {
  readonly key: string;
  readonly make: () => string;
}

type Produce = PublishOptions['produce'];

/** How contents of a group of files are made. Each function retains all that was planned with it, so few builds are referred to. */
interface Producers {
  readonly list: FileList;
  readonly newest: Produce;
  /** Contents that were planned earlier and taken over since. */
  readonly older: ReadonlyMap<string, Produce>;
}

export function openLiveOutput(): LiveOutput {
  let published: SiteManifest | undefined;
  let producers: ReadonlyMap<string, Producers> = new Map();
  /** By the ids of lists and the paths in them. */
  const replaced = new Map<string, LiveContent>();
  const findContent = (path: string) => {
    const found = findFile(published?.site, path);
    return found && { ...found, content: replaced.get(`${found.list.id} ${found.path}`) };
  };
  return {
    get published() {
      return published;
    },
    async publish(site, options) {
      await options.beforeExchange?.();
      producers = new Map(
        [...site].map(([name, { list }]) => [name, findProducers(list, producers.get(name), options)]),
      );
      const notes = options.notes(0);
      published = { build: siteId(site), site, sizes: new Map(), stamps: new Map(), notes };
      return { written: 0, linked: 0, bytes: 0 };
    },
    async prepareNext() {
      // Nothing is written.
    },
    takeDown() {
      published = undefined;
      producers = new Map();
    },
    replace: ({ id }, path, content) => void replaced.set(`${id} ${path}`, content),
    restore: () => replaced.clear(),
    site: {
      list: () =>
        [...(published?.site.values() ?? [])].flatMap(({ prefix, list }) => list.files.map(([path]) => prefix + path)),
      find(path) {
        const found = findContent(path);
        return found?.content?.key ?? found?.key;
      },
      read(path) {
        const found = findContent(path);
        if (!found) return undefined;
        const { group, key, content } = found;
        if (content) return Promise.resolve().then(() => Buffer.from(content.make()));
        const { older, newest } = producers.get(group)!;
        return Promise.resolve((older.get(key) ?? newest)(key, path));
      },
    },
  };
}

/** A list that stays is made as before; of another one that may be true of some contents. */
function findProducers(
  list: FileList,
  before: Producers | undefined,
  { produce, canProduce = () => true }: Pick<PublishOptions, 'produce' | 'canProduce'>,
): Producers {
  if (before?.list.id === list.id) return before;
  const older = new Map<string, Produce>();
  for (const [, key] of list.files) {
    if (before && !canProduce(key)) older.set(key, before.older.get(key) ?? before.newest);
  }
  return { list, newest: produce, older };
}

function findFile(
  site: SiteFiles | undefined,
  path: string,
): { readonly group: string; readonly list: FileList; readonly path: string; readonly key: string } | undefined {
  for (const [group, { prefix, list }] of site ?? []) {
    if (!path.startsWith(prefix)) continue;
    const own = path.slice(prefix.length);
    const key = indexOf(list).get(own);
    if (key !== undefined) return { group, list, path: own, key };
  }
  return undefined;
}

const indexes = new WeakMap<FileList, ReadonlyMap<string, string>>();

function indexOf(list: FileList): ReadonlyMap<string, string> {
  const index = indexes.get(list) ?? new Map(list.files);
  indexes.set(list, index);
  return index;
}
