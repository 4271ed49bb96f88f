import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { BuildError, hasPublished, isSameSite, publishCopy, readSite } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import { openContentCache } from '../sites/s3/content-cache.ts';
import { type Content, dayOf, formatEdition, parseEdition, parseRoot } from '../sites/s3/edition.ts';
import { createListMemory, readFiles } from '../sites/s3/open-edition.ts';
import { uploadEdition } from '../sites/s3/publish-edition.ts';
import { type Bucket, type Patience, S3Error } from '../sites/s3/s3-bucket.ts';
import { siteFolder } from '../sites/site-storage.ts';

/** A published site, to be read. */
export interface SiteCopy {
  /** Folders: a name, '' or a path that ends with `/`, and files with keys; equal keys mean equal bytes. */
  readonly groups: readonly (readonly [name: string, prefix: string, files: readonly (readonly [string, string])[]])[];
  /** Left by the build that made it, for the next one; undefined = not known. */
  readonly notes: unknown;
  /** Where the site is on this machine as a build left it. */
  readonly folder: string | undefined;
  /** Returns whether all that was read until now is of this site: builds may have published others meanwhile. */
  isCurrent(): boolean;
  /** Returns the bytes of a key, of which `path` is one of the paths. */
  read(key: string, path: string): Promise<Buffer>;
  /** Returns the SHA-256 of a key's bytes, hexadecimal. */
  hash(key: string, path: string): Promise<string>;
}

/** Number and hash of the files of a site. */
export interface SiteDigest {
  readonly files: number;
  /** SHA-256 of the paths in their order, each with the SHA-256 of its bytes; hexadecimal. */
  readonly hash: string;
}

/** Where sites are read from. */
export interface SiteSource {
  /** For messages. */
  readonly name: string;
  /** Returns the site that readers of a project get; undefined where there is none. Throws where it is damaged. */
  open(project: Pick<Project, 'name' | 'site'>): Promise<SiteCopy | undefined>;
  close(): Promise<void>;
}

/** Where sites are brought to. */
export interface SiteTarget {
  readonly name: string;
  /** Brings a site there; returns its digest as it is there, and the edition that the record of the project has to name. */
  put(project: string, copy: SiteCopy): Promise<{ readonly digest: SiteDigest; readonly edition: string | undefined }>;
  /** Returns the projects of which there is a site, or what is left of one; none in a bucket, whose garbage is collected by nodes. */
  listProjects(): Promise<readonly string[]>;
  /** Removes the site of a project; where that is interrupted, the project stays in the list. */
  remove(project: string): Promise<void>;
  close(): Promise<void>;
}

const AT_ONCE = 8;
const PATIENCE: Patience = { retryMs: 60_000 };
/** Space for what is read from S3, which nobody reads twice. */
const CACHE_BYTES = 500_000_000;
/** No part of a path leads out of the folder, nor anywhere that a site does not serve. */
const PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!\/)[^\0\\]+$/;

/** Computes the digest of a site from all of its bytes. Throws DataError `damaged` for paths that lead out of the folder. */
export async function digestSite(copy: SiteCopy): Promise<SiteDigest> {
  const paths = new Map<string, string>();
  for (const [, prefix, files] of copy.groups) for (const [path, key] of files) paths.set(prefix + path, key);
  const first = new Map<string, string>();
  for (const [path, key] of paths) {
    if (!PATH.test(path)) throw new DataError('damaged', `A site has a file with the path "${path.slice(0, 100)}"`);
    if (!first.has(key)) first.set(key, path);
  }
  const hashes = new Map(
    await pMap(first, async ([key, path]) => [key, await copy.hash(key, path)] as const, { concurrency: AT_ONCE }),
  );
  const digest = createHash('sha256');
  for (const path of [...paths.keys()].sort()) digest.update(`${path}\0${hashes.get(paths.get(path)!)}\n`);
  return { files: paths.size, hash: digest.digest('hex') };
}

/** Returns the sites below a folder, as sources or targets. */
export function openSiteFolders(sitesFolder: string): SiteSource & SiteTarget {
  const name = `folder "${sitesFolder}"`;
  const open = async (project: string): Promise<SiteCopy | undefined> => {
    const folder = siteFolder(sitesFolder, project);
    const found = readSite(folder);
    if (found) return openFolder(folder, found);
    if (!existsSync(folder)) return undefined;
    throw new DataError(
      'damaged',
      `"${folder}" is not as a build left it; start the server once, which publishes it again`,
    );
  };
  return {
    name,
    open: (project) => open(project.name),
    async put(project, copy) {
      const there = await open(project).catch(() => undefined);
      const digest = there && (await digestSite(there));
      if (digest && digest.hash === (await digestSite(copy)).hash) return { digest, edition: undefined };
      await publishCopy(siteFolder(sitesFolder, project), {
        groups: copy.groups,
        produce: (key, path) => copy.read(key, path),
        notes: copy.notes,
      });
      return { digest: await digestSite((await open(project))!), edition: undefined };
    },
    async listProjects() {
      const entries = existsSync(sitesFolder) ? await readdir(sitesFolder, { withFileTypes: true }) : [];
      // Anything else that somebody keeps there is not docbuild's.
      const isOurs = (name: string): boolean => hasPublished(siteFolder(sitesFolder, name));
      return entries.flatMap((entry) => (entry.isDirectory() && isOurs(entry.name) ? entry.name : [])).sort();
    },
    async remove(project) {
      const folder = dirname(siteFolder(sitesFolder, project));
      const isManifests = (entry: string): boolean => entry.endsWith('.docbuild');
      // The manifests go last: by them the rest is recognised.
      for (const entry of (await readdir(folder)).sort((a, b) => Number(isManifests(a)) - Number(isManifests(b)))) {
        await rm(join(folder, entry), { recursive: true, force: true });
      }
      await rm(folder, { recursive: true, force: true });
    },
    close: async () => {},
  };
}

function openFolder(folder: string, manifest: NonNullable<ReturnType<typeof readSite>>): SiteCopy {
  const { site, notes } = manifest;
  return {
    isCurrent: () => isSameSite(folder, manifest),
    groups: [...site].map(([name, { prefix, list }]) => [name, prefix, list.files]),
    notes,
    folder,
    read: (_key, path) => readFile(join(folder, path)),
    async hash(_key, path) {
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(join(folder, path))) hash.update(chunk as Buffer);
      return hash.digest('hex');
    },
  };
}

/** Returns the sites in a bucket, as sources or targets; what is read is kept in a temporary folder until they are closed. */
export async function openSiteBucket(bucket: Bucket, now: () => Date): Promise<SiteSource & SiteTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'docbuild-sites-'));
  const cache = openContentCache({ folder: join(folder, 'cache'), bucket, maxBytes: CACHE_BYTES, onProblem() {} });
  const findList = createListMemory(cache);
  const explain = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof S3Error) throw new DataError('unwritable', cause.message, { cause });
      if (cause instanceof DataError || cause instanceof BuildError || 'errno' in (cause as Error)) throw cause;
      // An object is missing, or is not what it should be.
      throw new DataError('damaged', (cause as Error).message, { cause });
    }
  };
  const openEdition = async (project: string, edition: string): Promise<SiteCopy | undefined> => {
    const root = parseEdition(edition);
    if (!root) return undefined;
    const contents = new Map<string, Content>();
    const groups = await pMap(
      parseRoot(await cache.read(project, root)),
      async ([prefix, list], at) => {
        const files = [...(await readFiles(project, list, findList)).files];
        for (const [, content] of files) contents.set(content.hash, content);
        return [`${at}`, prefix, files.map(([path, { hash }]) => [path, hash] as const)] as const;
      },
      { concurrency: AT_ONCE },
    );
    const read = (hash: string): Promise<Buffer> => explain(() => cache.read(project, contents.get(hash)!));
    // Its bytes have been compared with their hash.
    const hash = async (key: string): Promise<string> => (await read(key)) && key;
    return { groups, notes: undefined, folder: undefined, isCurrent: () => true, read, hash };
  };
  return {
    name: `bucket ${bucket.label}`,
    open: ({ name, site }) => explain(() => openEdition(name, site?.edition ?? '')),
    put: (project, copy) => explain(() => put(project, copy)),
    listProjects: async () => [],
    remove: async () => {},
    async close() {
      await bucket.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function put(project: string, copy: SiteCopy): ReturnType<SiteTarget['put']> {
    await bucket.prepare(PATIENCE);
    const own = join(folder, 'sites', project, 'site');
    if (copy.folder === undefined) {
      await publishCopy(own, { ...copy, produce: (key, path) => copy.read(key, path) });
    }
    try {
      const { root } = await uploadEdition({
        bucket,
        project,
        patience: PATIENCE,
        day: dayOf(now()),
        base: new Map(),
        atRoot: [],
        cache: { keep: async () => {} },
        folder: copy.folder ?? own,
        notes: join(folder, 'uploaded.json'),
      });
      const edition = formatEdition(root);
      return { edition, digest: await digestSite((await openEdition(project, edition))!) };
    } finally {
      await rm(join(folder, 'sites'), { recursive: true, force: true });
      await rm(join(folder, 'uploaded.json'), { force: true });
    }
  }
}
