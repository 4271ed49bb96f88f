import pMap from 'p-map';
import { DAY_FOLDER, dayOf, GARBAGE_FOLDER } from './edition.ts';
import { type Bucket, listKeys, type Patience } from './s3-bucket.ts';

/** Requests to S3 at once, and how long it may be away meanwhile. */
const AT_ONCE = 8;
const RETRY_MS = 60_000;
/** Keys in one list of garbage. */
const MAX_LISTED = 50_000;
const DAY_MS = 86_400_000;
/** Keys of contents and of lists of garbage; what has another name is somebody else's. */
const OBJECT = /^[^/]+\/\d{8}\/[0-9a-f]{64}(?:\.br|\.gz|\.\d+)?$/;
const LIST = /^[^/]+\/garbage\/(\d+)-\d+\.json$/;

/** The objects of a project that are in use, at one moment. */
export interface InUse {
  /** Keys of the edition that readers get, without the project's folder. */
  readonly keys: ReadonlySet<string>;
  /** The folder of the build that uploads another one. */
  readonly stagedDay: string | undefined;
}

/*
 * Nothing that is garbage is ever used again, so that it does not matter when, how often and by whom it is removed:
 *
 * - A build takes contents from the edition that is live when it begins and from the folder of the day on which it begins, which the
 *   project's record names before it looks at what is there. It uploads to no other folder.
 * - Garbage is what the live edition does not have, in the folders of days before yesterday and before that of a build which uploads.
 *   No build that begins later looks there; the clocks of machines may differ by a day for that.
 *
 * Garbage is written down, and removed a day later: until then other processes may still answer from the edition that was live before.
 */

/** Removes what nobody can use any more, project by project; what one run does not finish is left to the next. */
export async function collectGarbage(options: {
  readonly bucket: Bucket;
  /** Returns what is in use of a project; nothing where it does not exist. */
  readonly findInUse: (project: string) => Promise<InUse>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}): Promise<{ readonly found: number; readonly removed: number }> {
  const { bucket, findInUse, now, signal, onError } = options;
  const patience: Patience = { retryMs: RETRY_MS, signal };
  let found = 0;
  let removed = 0;
  for await (const folder of listFolders('')) {
    try {
      await collectProject(folder.slice(0, -1));
    } catch (error) {
      if (signal.aborted) throw error;
      onError(error);
    }
  }
  return { found, removed };

  async function collectProject(project: string): Promise<void> {
    const { keys, stagedDay } = await findInUse(project);
    const isUsed = (key: string): boolean => keys.has(key.slice(project.length + 1).replace(/\.\d+$/, ''));
    const listed = new Set<string>();
    for await (const list of listKeys(bucket, `${project}/${GARBAGE_FOLDER}`, patience)) {
      if (!LIST.test(list)) continue;
      const garbage = await readGarbage(list);
      if (now().getTime() - timeOf(list) < DAY_MS) for (const key of garbage) listed.add(key);
      // Only records from a backup name what was garbage before.
      else
        await removeAll(
          list,
          garbage.filter((key) => !isUsed(key)),
        );
    }
    const yesterday = dayOf(new Date(now().getTime() - DAY_MS));
    const end = stagedDay !== undefined && stagedDay < yesterday ? stagedDay : yesterday;
    const garbage: string[] = [];
    for await (const folder of listFolders(`${project}/`)) {
      const day = folder.slice(project.length + 1);
      if (!DAY_FOLDER.test(day) || day.slice(0, -1) >= end) continue;
      for await (const key of listKeys(bucket, folder, patience)) {
        if (OBJECT.test(key) && !isUsed(key) && !listed.has(key)) garbage.push(key);
        if (garbage.length === MAX_LISTED) await writeGarbage(project, garbage.splice(0));
      }
    }
    if (garbage.length > 0) await writeGarbage(project, garbage);
  }

  async function writeGarbage(project: string, keys: readonly string[]): Promise<void> {
    found += keys.length;
    const time = now().getTime();
    await bucket.put(`${project}/${GARBAGE_FOLDER}${time}-${found}.json`, Buffer.from(JSON.stringify(keys)), patience);
  }

  async function readGarbage(list: string): Promise<readonly string[]> {
    const bytes = await bucket.get(list, patience);
    return bytes ? (JSON.parse(bytes.toString()) as string[]) : [];
  }

  async function removeAll(list: string, keys: readonly string[]): Promise<void> {
    await pMap(keys, (key) => bucket.remove(key, patience), { concurrency: AT_ONCE });
    removed += keys.length;
    await bucket.remove(list, patience);
  }

  async function* listFolders(prefix: string): AsyncGenerator<string> {
    for (let from: string | undefined; ; ) {
      const { folders, next } = await bucket.list(prefix, { ...patience, from, isShallow: true });
      yield* folders;
      if (next === undefined) return;
      from = next;
    }
  }
}

/** Returns when a list of garbage was written, in milliseconds. */
function timeOf(list: string): number {
  return Number(LIST.exec(list)![1]);
}
