import { DataError } from '../../data/data-error.ts';
import type { LoggedBuild, StoredLog } from '../../data/nodes.ts';
import { type Build, builds } from '../../data/records/build.ts';
import type { VaultReader } from '../../data/vault.ts';
import type { LogStorage } from '../builds/build-logs.ts';

/** Logs beside records. */
export type ReaderWithLogs = VaultReader & { readonly logs: LogStorage };

/** Logs that are held in memory at once, bytes; a single one may be larger. */
const GROUP_BYTES = 4_000_000;

/** Yields what builds have logged and found, some megabytes at a time; of those that have nothing, nothing. */
export async function* readLogs(
  source: ReaderWithLogs,
  onBuilds: (count: number) => void,
): AsyncGenerator<readonly (LoggedBuild & StoredLog)[]> {
  for await (const page of source.read(builds)) {
    const own = page as readonly Build[];
    for (const group of cutBySize(own, await source.logs.measure(own))) yield await readGroup(source.logs, group);
    onBuilds(own.length);
  }
}

/** Copies what builds have logged and found, and reads it again; returns how many of both there are. Throws DataError `damaged`. */
export async function copyLogs(
  source: ReaderWithLogs,
  target: { readonly name: string; readonly logs: LogStorage },
  onBuilds: (count: number) => void,
): Promise<number> {
  let count = 0;
  for await (const page of source.read(builds)) {
    const own = page as readonly Build[];
    const [meant, there] = await Promise.all([source.logs.measure(own), target.logs.measure(own)]);
    const isThere = new Set(own.filter((_, i) => there[i]! > 0));
    for (const group of cutBySize(
      own,
      meant.map((bytes, i) => Math.max(bytes, there[i]!)),
    )) {
      count += await copyGroup(source, target, { group, isThere });
    }
    onBuilds(own.length);
  }
  return count;
}

/** Returns how many logs and lists of problems there are of a group. */
async function copyGroup(
  source: ReaderWithLogs,
  target: { readonly name: string; readonly logs: LogStorage },
  { group, isThere }: { readonly group: readonly Build[]; readonly isThere: ReadonlySet<Build> },
): Promise<number> {
  const [meant, found] = await Promise.all([
    readGroup(source.logs, group),
    readGroup(
      target.logs,
      group.filter((build) => isThere.has(build)),
    ),
  ]);
  const byId = new Map(found.map((log) => [log.id, log]));
  const missing = meant.filter((log) => !isSameLog(log, byId.get(log.id) ?? NOTHING));
  for (const { project, id } of missing) if (byId.has(id)) await target.logs.remove(project, [id]);
  if (missing.length > 0) {
    await target.logs.writeAll(missing);
    for (const [i, log] of (await target.logs.readAll(missing)).entries()) {
      if (isSameLog(missing[i]!, log)) continue;
      throw new DataError('damaged', `The log of build "${missing[i]!.id}" differs in ${target.name}; copy it again`);
    }
  }
  return meant.reduce((sum, log) => sum + (log.lines.length > 0 ? 1 : 0) + (log.problems === undefined ? 0 : 1), 0);
}

const NOTHING: StoredLog = { lines: [], problems: undefined };

async function readGroup(
  logs: LogStorage,
  group: readonly LoggedBuild[],
): Promise<readonly (LoggedBuild & StoredLog)[]> {
  if (group.length === 0) return [];
  const found = await logs.readAll(group);
  return group.map(({ project, id }, i) => ({ project, id, ...found[i]! }));
}

/** Cuts builds of which something is kept (`sizes`, bytes) into groups that memory holds. */
function cutBySize<T>(all: readonly T[], sizes: readonly number[]): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [i, one] of all.entries()) {
    const size = sizes[i]!;
    if (size === 0) continue;
    bytes += size;
    if (bytes > GROUP_BYTES) {
      groups.push([]);
      bytes = size;
    }
    groups.at(-1)!.push(one);
  }
  return groups;
}

function isSameLog(a: StoredLog, b: StoredLog): boolean {
  return (
    a.problems === b.problems && a.lines.length === b.lines.length && a.lines.every((line, i) => line === b.lines[i])
  );
}
