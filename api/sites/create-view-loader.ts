import { type CachedFile, createFileCache } from './create-file-cache.ts';
import { createView, type View } from './create-view.ts';
import { type FileStamp, formatStamp, isSameStamp } from './file-stamp.ts';
import { type OpenFile, openSiteFile } from './open-site-file.ts';
import { readSiteFile } from './read-site-file.ts';
import { closeFile } from './send-body.ts';
import type { Site } from './site.ts';

/** Returns views of files, from memory where nothing changed. */
export interface ViewLoader {
  /** Returns the view of a file that has this stamp now, when it is in memory; costs next to nothing. */
  find(site: Site, path: string, stamp: FileStamp): View | undefined;
  /** Opens and, where needed, reads a file. Returns undefined where it is gone or changes while it is read. */
  load(site: Site, path: string): Promise<View | undefined>;
  /** Opens a file whose bytes are not in memory; undefined where it is no longer the one that was viewed. */
  open(site: Site, path: string, view: View): OpenFile | undefined;
  /** Takes account of a compressed body. */
  grow(view: View, bytes: number): void;
  /** Memory in use, bytes. */
  readonly bytes: number;
  /** Largest body that is kept. */
  readonly maxBodyBytes: number;
}

/** Paths remembered; two generations of them. */
const MAX_PATHS = 10_000;
/** The clock of file systems stands still for up to 10 ms: two contents written within one tick have one stamp. */
const RACY_MS = 20;

/** Creates a loader that keeps up to `maxBytes` in memory, of files up to `maxBodyBytes` the bytes. */
export function createViewLoader(options: { readonly maxBytes: number; readonly maxBodyBytes: number }): ViewLoader {
  const { maxBytes, maxBodyBytes } = options;
  const files = createFileCache(maxBytes);
  const reading = new Map<string, Promise<CachedFile | undefined>>();
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
      const open = openSiteFile(site.folder, path);
      if (!open) return undefined;
      try {
        const file = files.find(open.stamp) ?? (await readOnce(open));
        if (!file?.content) return undefined;
        const view = createView(file, file.content, { path, isShared: site.isShared });
        if (files.find(file.stamp) === file) remember(viewKey(site, path), view);
        return view;
      } finally {
        closeFile(open);
      }
    },
    open(site, path, view) {
      const open = openSiteFile(site.folder, path);
      if (!open || isSameStamp(open.stamp, view.file.stamp)) return open;
      closeFile(open);
      return undefined;
    },
    grow: (view, bytes) => files.grow(view.file, bytes),
  };

  /** Whoever asks for a file that is being read waits for the same reading. */
  function readOnce(open: OpenFile): Promise<CachedFile | undefined> {
    const key = formatStamp(open.stamp);
    let file = reading.get(key);
    if (!file) {
      file = read(open).finally(() => reading.delete(key));
      reading.set(key, file);
    }
    return file;
  }

  async function read(open: OpenFile): Promise<CachedFile | undefined> {
    const content = await readSiteFile(open, maxBodyBytes);
    if (!content) return undefined;
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

function viewKey(site: Site, path: string): string {
  return (site.isShared ? '*' : '') + site.folder + path;
}
