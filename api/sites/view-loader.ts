import { createSharedWork } from '../../lib/once.ts';
import { type CachedFile, createFileCache } from '../../platform/sites/file-cache.ts';
import { closeFile, formatStamp, isSameStamp, readSiteFile } from '../../platform/sites/site-files.ts';
import type { FileStamp, OpenFile } from '../../platform/sites/site-storage.ts';
import { createView, type View } from './representation.ts';
import type { Site } from './site.ts';

/** Loads files for answers, from memory where nothing has changed. */
export interface ViewLoader {
  /** Returns the view of a file with this stamp if it is in memory; this is fast. */
  find(site: Site, path: string, stamp: FileStamp): View | undefined;
  /** Opens and, where needed, reads a file. Returns undefined where it is gone or changes meanwhile. */
  load(site: Site, path: string): Promise<View | undefined>;
  /** Opens a file whose bytes are not in memory; undefined where it is no longer the one of the view. */
  open(site: Site, path: string, view: View): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** Accounts for a compressed body. */
  grow(view: View, bytes: number): void;
  /** Memory in use, bytes. */
  readonly bytes: number;
  /** Largest body that is kept in memory. */
  readonly maxBodyBytes: number;
}

/** Remembered paths of one generation; there are two. */
const MAX_PATHS = 10_000;
/** The clock of file systems advances in steps of up to 10 ms: two contents written within one step have one stamp. */
const RACY_MS = 20;

/** Creates a loader that keeps up to `maxBytes` in memory, including the bytes of files up to `maxBodyBytes`. */
export function createViewLoader(options: { readonly maxBytes: number; readonly maxBodyBytes: number }): ViewLoader {
  const { maxBytes, maxBodyBytes } = options;
  const files = createFileCache(maxBytes);
  const share = createSharedWork<string, CachedFile | undefined>();
  let views = new Map<string, View>();
  let olderViews: typeof views = new Map();

  return {
    maxBodyBytes,
    get bytes() {
      return files.bytes;
    },
    find(site, path, stamp) {
      const key = viewKey(site, path);
      const view = views.get(key) ?? olderViews.get(key);
      if (!view?.file.content || !isSameStamp(view.file.stamp, stamp)) return undefined;
      view.file.wasUsed = true;
      return view;
    },
    async load(site, path) {
      const open = await site.files.open(path);
      if (!open) return undefined;
      try {
        const file = files.find(open.stamp) ?? (await share(formatStamp(open.stamp), () => read(open)));
        if (!file?.content) return undefined;
        const view = createView(file, file.content, { ...site, path });
        if (files.find(file.stamp) === file) remember(viewKey(site, path), view);
        return view;
      } finally {
        closeFile(open);
      }
    },
    open(site, path, view) {
      const check = (open: OpenFile | undefined): OpenFile | undefined => {
        if (!open || isSameStamp(open.stamp, view.file.stamp)) return open;
        closeFile(open);
        return undefined;
      };
      const opened = site.files.open(path);
      return opened instanceof Promise ? opened.then(check) : check(opened);
    },
    grow: (view, bytes) => files.grow(view.file, bytes),
  };

  async function read(open: OpenFile): Promise<CachedFile | undefined> {
    const body = await readSiteFile(open, maxBodyBytes);
    if (!body) return undefined;
    const content = { ...body, compressed: new Map() };
    const file: CachedFile = { stamp: open.stamp, content, wasUsed: true };
    const age = Date.now() - Number(open.stamp.mtimeNs / 1_000_000n);
    if (Math.abs(age) > RACY_MS) files.add(file);
    return file;
  }

  function remember(key: string, view: View): void {
    if (views.size >= MAX_PATHS) {
      olderViews = views;
      views = new Map();
    }
    views.set(key, view);
  }
}

function viewKey({ isShared, pagePolicy = '', files }: Site, path: string): string {
  return `${isShared ? '*' : ''}${pagePolicy}${files.id}${path}`;
}
