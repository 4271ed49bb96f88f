import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { readPackageVersion } from '../../builder/index.ts';
import { RECORD_FORMAT } from '../../data/collection.ts';
import { DataError } from '../../data/data-error.ts';
import { type Project, projects } from '../../data/records/project.ts';
import { COLLECTIONS } from '../../data/store.ts';
import { digestCollection, type VaultReader } from '../../data/vault.ts';
import type { LogStorage } from '../builds/build-logs.ts';
import { createLogFiles } from '../builds/log-storages.ts';
import { hashBytes } from '../sites/s3/edition.ts';
import { createBackupFile, readBackupFile, withSystemErrors } from './backup-file.ts';
import { readLogs } from './copy-logs.ts';
import { digestSite, type SiteCopy, type SiteSource } from './site-copies.ts';

/*
 * The files of a backup, in this order:
 *
 *     backup.json                          format, release, time
 *     records/<collection>/<n>.jsonl       records, a line each
 *     logs/<project>/<build>.log, …/<build>.problems.json
 *     sites/<project>/<hash>               contents by their SHA-256; one that was not finished is followed by no site.json
 *     sites/<project>/site.json            which contents are at which paths
 */

/** Contents of a backup. */
export interface BackupReport {
  readonly records: number;
  readonly sites: number;
  /** Projects whose sites changed each time they were read; they are built again after a restore. */
  readonly leftOut: readonly string[];
  /** Size of the file. */
  readonly bytes: number;
}

/** How often a site is read that a build changes meanwhile. */
const MAX_TRIES = 5;
const PAUSE_MS = 200;
const about = z.object({
  format: z.int(),
  hasSites: z.boolean(),
});
const storedSite = z.object({
  groups: z.array(z.tuple([z.string(), z.string(), z.array(z.tuple([z.string(), z.string()]))])),
  notes: z.unknown().optional(),
});
const NAME =
  /^(?:backup\.json|records\/[a-z-]+\/\d+\.jsonl|logs\/[^./][^/]*\/[^./][^/]*\.(?:log|problems\.json)|sites\/[^./][^/]*\/(?:[0-9a-f]{64}|site\.json))$/;

/** Writes a backup of what a snapshot has and, where they are given, of the sites of its projects. Throws DataError. */
export async function writeBackup(
  path: string,
  options: {
    readonly source: VaultReader & { readonly logs: LogStorage };
    readonly sites: SiteSource | undefined;
    readonly onProgress: (progress: { readonly what: 'records' | 'logs' | 'sites'; readonly done: number }) => void;
  },
): Promise<BackupReport> {
  const { source, sites, onProgress } = options;
  const file = await createBackupFile(path);
  const addJson = (name: string, value: unknown): Promise<void> => file.add(name, Buffer.from(JSON.stringify(value)));
  let records = 0;
  let logs = 0;
  let count = 0;
  const leftOut: string[] = [];
  try {
    const createdAt = new Date().toISOString();
    await addJson('backup.json', {
      format: RECORD_FORMAT,
      release: readPackageVersion(),
      createdAt,
      hasSites: sites !== undefined,
    });
    for (const collection of COLLECTIONS) {
      let pages = 0;
      for await (const page of source.read(collection)) {
        if (page.length === 0) continue;
        const lines = page.map((record) => JSON.stringify(record)).join('\n');
        await file.add(`records/${collection.name}/${pages++}.jsonl`, Buffer.from(lines));
        records += page.length;
        onProgress({ what: 'records', done: records });
      }
    }
    const onBuilds = (count: number): void => {
      logs += count;
      onProgress({ what: 'logs', done: logs });
    };
    for await (const group of readLogs(source, onBuilds)) {
      for (const { project, id, lines, problems } of group) {
        if (lines.length > 0)
          await file.add(`logs/${project}/${id}.log`, Buffer.from(lines.map((line) => `${line}\n`).join('')));
        if (problems !== undefined) await file.add(`logs/${project}/${id}.problems.json`, Buffer.from(problems));
      }
    }
    for await (const page of sites ? source.read(projects) : []) {
      for (const project of page as readonly Project[]) {
        if (project.versions.length === 0) continue;
        if (await addSite(project)) count++;
        else leftOut.push(project.name);
        onProgress({ what: 'sites', done: count });
      }
    }
    const { bytes } = await file.finish();
    return { records, sites: count, leftOut, bytes };
  } catch (error) {
    await file.abort();
    throw error;
  }

  /** Returns whether a site was added; there may be none, or one that changes all the time. */
  async function addSite(project: Project): Promise<boolean> {
    const added = new Set<string>();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await sleep(PAUSE_MS);
      const copy = await sites!.open(project).catch(passDamaged);
      if (!copy) continue;
      const stored = await addContents(project.name, copy, added).catch((error: unknown) => {
        // A build that publishes removes what is read.
        if (copy.isCurrent()) passDamaged(error);
      });
      if (!stored || !copy.isCurrent()) continue;
      await addJson(`sites/${project.name}/site.json`, stored);
      return true;
    }
    return false;
  }

  async function addContents(project: string, copy: SiteCopy, added: Set<string>): Promise<z.infer<typeof storedSite>> {
    const hashes = new Map<string, string>();
    for (const [, prefix, files] of copy.groups) {
      for (const [path, key] of files) {
        if (hashes.has(key)) continue;
        const bytes = await copy.read(key, prefix + path);
        const hash = hashBytes(bytes);
        hashes.set(key, hash);
        if (!added.has(hash)) await file.add(`sites/${project}/${hash}`, bytes);
        added.add(hash);
      }
    }
    const groups = copy.groups.map(([name, prefix, files]): [string, string, [string, string][]] => [
      name,
      prefix,
      files.map(([path, key]) => [path, hashes.get(key)!]),
    ]);
    return { groups, notes: copy.notes };
  }
}

/** A damaged site does not prevent the backup of others. */
function passDamaged(error: unknown): undefined {
  if (!(error instanceof DataError && error.code === 'damaged')) throw error;
}

/** A backup that was unpacked, all of it verified. */
export interface OpenBackup {
  readonly records: VaultReader & { readonly logs: LogStorage };
  /** Undefined where the backup has none. */
  readonly sites: SiteSource | undefined;
}

/**
 * Unpacks a backup to a folder, which is emptied before, and verifies it: checksums, records by their schemas, contents by their
 * hashes. Throws DataError `not-found`, `damaged`, `unwritable`, and `invalid` for a backup of a newer release.
 */
export async function unpackBackup(path: string, folder: string): Promise<OpenBackup> {
  try {
    return await unpack(path, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function unpack(path: string, folder: string): Promise<OpenBackup> {
  const damaged = (why: string): DataError =>
    new DataError('damaged', `Cannot use backup "${path}": ${why}; nothing was changed`);
  await withSystemErrors(folder, () => rm(folder, { recursive: true, force: true }));
  await withSystemErrors(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  let made = '';
  for await (const { name, bytes } of readBackupFile(path)) {
    if (!NAME.test(name)) throw damaged(`it has a file "${name.slice(0, 100)}"`);
    const hash = /^sites\/[^/]+\/([0-9a-f]{64})$/.exec(name)?.[1];
    if (hash !== undefined && hashBytes(bytes) !== hash) throw damaged(`"${name}" has other bytes`);
    await withSystemErrors(folder, async () => {
      if (dirname(name) !== made) await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), bytes, { mode: 0o600 });
    });
    made = dirname(name);
  }
  if (!existsSync(join(folder, 'backup.json'))) throw damaged('it is no backup of docbuild');
  try {
    const { format, hasSites } = about.parse(JSON.parse(await readFile(join(folder, 'backup.json'), 'utf8')));
    if (format > RECORD_FORMAT) {
      const message = `Cannot use backup "${path}": a newer docbuild has written it`;
      throw new DataError('invalid', message);
    }
    const records = { ...createReader(path, folder), logs: createLogFiles(join(folder, 'logs')) };
    for (const collection of COLLECTIONS) await digestCollection(records, collection);
    const sites = createSiteSource(path, join(folder, 'sites'));
    const names = existsSync(join(folder, 'sites')) ? await readdir(join(folder, 'sites')) : [];
    for (const name of names) {
      const copy = await sites.open({ name, site: undefined });
      if (copy) await digestSite(copy);
    }
    return { records, sites: hasSites ? sites : undefined };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      throw damaged('a file in it is not as it should be');
    throw error;
  }
}

function createReader(path: string, folder: string): VaultReader {
  return {
    name: `backup "${path}"`,
    async *read(collection) {
      const own = join(folder, 'records', collection.name);
      const names = existsSync(own) ? await readdir(own) : [];
      for (const name of names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
        const lines = (await readFile(join(own, name), 'utf8')).split('\n');
        try {
          yield lines.map((line) => collection.adopt(JSON.parse(line)));
        } catch (cause) {
          // A release that does not know what a newer one has written refuses it, too.
          const message = `Cannot use backup "${path}", "records/${collection.name}/${name}": ${(cause as Error).message}`;
          throw cause instanceof DataError ? new DataError('damaged', message, { cause }) : cause;
        }
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function createSiteSource(path: string, folder: string): SiteSource {
  return {
    name: `backup "${path}"`,
    async open({ name }) {
      const own = join(folder, name);
      if (!existsSync(join(own, 'site.json'))) return undefined;
      const { groups, notes } = storedSite.parse(JSON.parse(await readFile(join(own, 'site.json'), 'utf8')));
      return {
        groups,
        notes: notes ?? undefined,
        folder: undefined,
        isCurrent: () => true,
        read: (hash) => readFile(join(own, hash)),
        async hash(hash) {
          // They were compared when they were unpacked.
          if (existsSync(join(own, hash))) return hash;
          throw new DataError(
            'damaged',
            `Cannot use backup "${path}": site "${name}" lacks a file; nothing was changed`,
          );
        },
      };
    },
    close: async () => {},
  };
}
