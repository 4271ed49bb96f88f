import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { DataError } from '../../data/data-error.ts';
import type { LoggedBuild, NodeLogs } from '../../data/nodes.ts';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';
import type { LogStorage, LogWriter } from './build-logs.ts';

/** How long lines wait for others that are stored with them, ms. */
const TOGETHER_MS = 200;
/** Files that are read or written at once. */
const AT_ONCE = 8;

/** Creates logs in files of a folder; `folder/<project>/<build>.log` and `<build>.problems.json`. Names and ids are safe as file names. */
export function createLogFiles(folder: string): LogStorage {
  const problemsOf = (project: string, id: string): string => join(folder, project, `${id}.problems.json`);
  const fileOf = (project: string, id: string): string => join(folder, project, `${id}.log`);
  const atOnce = <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> =>
    pMap(items, work, { concurrency: AT_ONCE });
  const storage: LogStorage = {
    open(project, id) {
      makeFolder(join(folder, project));
      const file = createWriteStream(fileOf(project, id), { flags: 'a', mode: 0o600 }).on('error', () => {});
      const writer: LogWriter = {
        write: (line) => void file.write(`${line}\n`),
        end: () =>
          new Promise<void>((resolve) => {
            file.end(() => resolve());
            file.once('error', () => resolve());
          }),
      };
      return { lines: readLines(fileOf(project, id)), writer };
    },
    async read(project, id, from) {
      const text = await readFile(fileOf(project, id), 'utf8').catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return '';
        throw error;
      });
      return text.split('\n').slice(from, -1);
    },
    isGrowing: async () => false,
    async writeProblems(project, id, json) {
      makeFolder(join(folder, project));
      await writeFile(problemsOf(project, id), json, { mode: 0o600 });
    },
    readProblems: (project, id) => readFile(problemsOf(project, id), 'utf8'),
    async remove(project, ids) {
      const files = ids?.flatMap((id) => [fileOf(project, id), problemsOf(project, id)]);
      const paths = files ?? [join(folder, project)];
      for (const path of paths) await rm(path, { recursive: true, force: true });
    },
    listProjects: async () => (existsSync(folder) ? (await readdir(folder)).sort() : []),
    measure: (builds) =>
      atOnce(builds, async ({ project, id }) => {
        const [log, problems] = await Promise.all([sizeOf(fileOf(project, id)), sizeOf(problemsOf(project, id))]);
        return log + problems;
      }),
    readAll: (builds) =>
      atOnce(builds, async ({ project, id }) => ({
        lines: await storage.read(project, id, 0),
        problems: await storage.readProblems(project, id).catch((error: unknown) => {
          if (hasCode(error, 'ENOENT')) return undefined;
          throw error;
        }),
      })),
    async writeAll(logs) {
      await atOnce(logs, async ({ project, id, lines, problems }) => {
        const options = { mode: 0o600 };
        try {
          await mkdir(join(folder, project), { recursive: true, mode: 0o700 });
          if (lines.length > 0)
            await writeFile(fileOf(project, id), lines.map((line) => `${line}\n`).join(''), options);
          if (problems !== undefined) await writeFile(problemsOf(project, id), problems, options);
        } catch (cause) {
          if ((cause as NodeJS.ErrnoException).errno === undefined) throw cause;
          const path = join(folder, project);
          throw new DataError('unwritable', `Cannot write to "${path}": ${describeSystemError(cause)}`, { cause });
        }
      });
    },
  };
  return storage;
}

/** Returns the bytes of a file; 0 where there is none. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  return found?.size ?? 0;
}

/** Creates logs that all nodes read and write; `isRunning` tells whether a build runs anywhere. */
export function createSharedLogs(logs: NodeLogs, isRunning: (id: string) => Promise<boolean>): LogStorage {
  return {
    async open(project, id) {
      const build = { project, id };
      const lines = [...(await logs.read(build, 0).catch(() => []))];
      return { lines, writer: createSharedWriter(logs, build, lines.length) };
    },
    read: (project, id, from) => logs.read({ project, id }, from),
    isGrowing: isRunning,
    writeProblems: (project, id, json) => logs.writeProblems({ project, id }, json),
    readProblems: (project, id) => logs.readProblems({ project, id }),
    remove: (project, ids) => logs.remove(project, ids),
    listProjects: () => logs.listProjects(),
    measure: (builds) => logs.measure(builds),
    readAll: (builds) => logs.readAll(builds),
    writeAll: (all) => logs.writeAll(all),
  };
}

/** Stores lines some at a time, one time after the other; those that could not be stored come with the next ones. */
function createSharedWriter(logs: NodeLogs, build: LoggedBuild, start: number): LogWriter {
  let place = start;
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  const store = async (): Promise<void> => {
    const lines = waiting;
    if (lines.length === 0) return;
    waiting = [];
    try {
      await logs.append(build, place, lines);
      place += lines.length;
    } catch {
      waiting = [...lines, ...waiting];
    }
  };
  const storeNext = (): Promise<void> => {
    timer = undefined;
    storing = storing.then(store);
    return storing;
  };
  return {
    write(line) {
      waiting.push(line);
      timer ??= setTimeout(storeNext, TOGETHER_MS).unref();
    },
    async end() {
      clearTimeout(timer);
      await storeNext();
    },
  };
}

/** Without the folder, the file cannot be written either; see `LogWriter`. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {}
}

/** Returns the lines of a log, without any if it cannot be read. */
function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
