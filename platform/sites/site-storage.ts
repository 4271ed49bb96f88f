import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { Build } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Compression } from '../../lib/body-compression.ts';

/** Returns the folder on this machine that builds of a project publish to. */
export function siteFolder(sitesFolder: string, project: string): string {
  return join(sitesFolder, project, 'site');
}

/** Where published sites are kept: builds leave them in a folder of their machine, readers get them from here. */
export interface SiteStorage {
  /** The folder on this machine to which builds publish, see `siteFolder`. */
  readonly folder: string;
  /** Readers may have a site that is not in that folder, since others build, too. */
  readonly isShared: boolean;
  /** Shows readers the site that a build has left in the project's folder; resolves when they get it. Throws
   * an error whose message says why that cannot be, DataError `taken` where it is others' to publish; readers then get the site that they
   * got before. */
  publish(order: {
    readonly project: string;
    /** Id of the build. */
    readonly build: string;
    /** How long it may take. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /**
     * Returns whether a build that is stored so may publish: it is still the one that runs. Asked in the very changes that make its site
     * the one that readers get; undefined where nobody else can have begun the build again.
     */
    readonly isCurrent?: ((stored: Build | undefined) => boolean) | undefined;
    /** The build's change of the project's record, at the same moment where that says which site readers get. */
    readonly changeProject?: ((project: Project) => Project) | undefined;
    /** Looks whether all is there that was published before, and mends what is lost. */
    readonly isThorough?: boolean;
  }): Promise<Upload | undefined>;
  /** Returns the site that readers of a project get now, which may be empty; the answer to one request comes from one site. */
  find(project: string): PublishedSite | Promise<PublishedSite>;
  /** Returns whether readers get the site of a project as a build left it; otherwise it is to be published again. */
  isWhole(project: string): Promise<boolean>;
  /** Returns a text that is another one when readers get other files of a project; '' = they get none. */
  identify(project: string): Promise<string>;
  /** Removes the site of a project that is gone. */
  remove(project: string): Promise<void>;
  /** Removes what nobody can use any more; missing where there is no such thing. */
  readonly collect?: (signal: AbortSignal) => Promise<unknown>;
  /** Counts what was asked of a service elsewhere; missing where sites are on this machine. */
  readonly measure?: () => StorageCounts;
  close(): Promise<void>;
}

/** Requests to a storage elsewhere since this process began, and the part that this machine keeps of it. */
export interface StorageCounts {
  readonly requests: readonly {
    readonly method: string;
    /** `failed`: no answer, or one that says that another try may succeed. */
    readonly outcome: 'answered' | 'failed';
    readonly count: number;
    /** Time of all of them together. */
    readonly ms: number;
  }[];
  readonly cache: { readonly bytes: number; readonly hits: number; readonly misses: number };
}

/** The bytes that publishing sent elsewhere. */
export interface Upload {
  readonly objects: number;
  readonly bytes: number;
}

/** A site as readers get it. Methods throw DataError `busy` for what cannot be had at the moment. */
export interface PublishedSite {
  /** Distinguishes the site from others in caches. */
  readonly id: string;
  /** Readers are to get another one, which cannot be had at the moment: nobody should keep this one for long. */
  readonly isOutdated?: boolean;
  /** Finds the file for a path; is synchronous where that is known without waiting. */
  find(asked: SitePath): FoundFile | Promise<FoundFile>;
  /** Opens the file at a path that was found; undefined where it is gone. */
  open(path: string): OpenFile | undefined | Promise<OpenFile | undefined>;
  /** Returns a compressed body of the file at a path that was made in advance; undefined where there is none. */
  readCompressed(
    path: string,
    body: { readonly content: FileBody; readonly compression: Compression; readonly maxBytes: number },
  ): Promise<Buffer | undefined>;
}

/** A path inside a site, safe to append to its folder. */
export interface SitePath {
  /** Decoded; begins with `/`; no part is empty or begins with a dot, except `.well-known` as the first. */
  readonly path: string;
  /** Whether it ends with `/`, which requests a folder. */
  readonly isFolder: boolean;
}

/** The target of a site's path; `path` is that of the file. */
export type FoundFile =
  | { readonly kind: 'file'; readonly path: string; readonly stamp: FileStamp }
  /** The path of a folder without the final `/`. */
  | { readonly kind: 'folder' }
  /** The path of a page with a final `/`. */
  | { readonly kind: 'page' }
  | { readonly kind: 'missing' };

/** Distinguishes contents of files without reading them. */
export type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

/** A regular file of a site, open for reading; the caller closes it. */
export interface OpenFile {
  readonly stamp: FileStamp;
  /** The bytes, where they are in memory; otherwise they are read by `descriptor`. */
  readonly content?: FileBody & { readonly body: Buffer };
  /** -1 where the bytes are in memory. */
  readonly descriptor: number;
  /** SHA-256 of a file that never changes. */
  readonly hash?: string;
}

/** A file's bytes. */
export interface FileBody {
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  /** The bytes; undefined for a large file, which is read again for each answer. */
  readonly body: Buffer | undefined;
}

/** A site without any files. */
export const EMPTY_SITE: PublishedSite = {
  id: '',
  find: () => ({ kind: 'missing' }),
  open: () => undefined,
  readCompressed: async () => undefined,
};
