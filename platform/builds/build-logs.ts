import { setTimeout as sleep } from 'node:timers/promises';
import { formatProblem } from '../../builder/index.ts';
import type { LoggedBuild, StoredLog } from '../../data/nodes.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';

/** The log of a build that is running. */
export interface BuildLog {
  /** Adds one or more lines without control characters; beyond the limit, a last line says that the rest is left out. */
  write(line: string): void;
  close(): Promise<void>;
}

/** A problem that a build found, stored beside its log. */
export interface BuildProblem {
  /** See `SourceError` and `Warning`. */
  readonly severity: 'error' | 'warning';
  readonly ref: string;
  /** '' = the whole version. */
  readonly file: string;
  /** From 1; 0 = the whole file. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** Returns a problem as a line: `Warning: v1.2 docs/en/a.md:3: Link "b.md" leads to no page or file`. */
export function formatBuildProblem(problem: BuildProblem): string {
  return `${problem.severity === 'error' ? 'Error' : 'Warning'}: ${formatProblem(problem)}`;
}

/** Logs of builds: one text file each, and one for their problems. */
export interface BuildLogs {
  /** Opens the log of a build; that of one that was put back goes on. */
  open(project: string, id: string): Promise<BuildLog>;
  /** Returns the log up to now; '' when there is none. */
  read(project: string, id: string): Promise<string>;
  /** Yields the existing lines, then new ones, until the build has ended or the signal aborts. */
  follow(project: string, id: string, signal: AbortSignal): AsyncGenerator<string>;
  /** Stores the problems of a build in the given order. */
  writeProblems(project: string, id: string, problems: readonly BuildProblem[]): Promise<void>;
  /** Returns the problems of a build; empty if none were stored. */
  readProblems(project: string, id: string): Promise<readonly BuildProblem[]>;
  remove(project: string, ids?: readonly string[]): Promise<void>;
}

const MAX_BYTES = 1_000_000;
const MAX_LINE = 2_000;
/** Colours and the like (ECMA-48 control sequences, titles of windows): logs are shown in terminals and browsers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const ESCAPES = /\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;

/** Where logs are kept. */
export interface LogStorage {
  /** Returns the lines that a log has, of a build that was put back, and what adds to them. */
  open(project: string, id: string): Promise<OpenStorage> | OpenStorage;
  /** Returns the lines from a number on. Throws where they cannot be read. */
  read(project: string, id: string, from: number): Promise<readonly string[]>;
  /** Returns whether others may still add lines to a log. */
  isGrowing(id: string): Promise<boolean>;
  writeProblems(project: string, id: string, json: string): Promise<void>;
  /** Returns what was written; undefined for nothing. */
  readProblems(project: string, id: string): Promise<string | undefined>;
  remove(project: string, ids: readonly string[] | undefined): Promise<void>;
  /** Returns the projects of whose builds anything is kept. */
  listProjects(): Promise<readonly string[]>;
  /** Returns how many bytes are kept of each of these builds, in their order; 0 = nothing. */
  measure(builds: readonly LoggedBuild[]): Promise<readonly number[]>;
  /** Returns what is kept of each of these builds, in their order. Throws where it cannot be read. */
  readAll(builds: readonly LoggedBuild[]): Promise<readonly StoredLog[]>;
  /** Keeps all that is known of these builds, of which nothing was kept. Throws where it cannot be written. */
  writeAll(logs: readonly (LoggedBuild & StoredLog)[]): Promise<void>;
}

interface OpenStorage {
  readonly lines: string[];
  readonly writer: LogWriter;
}

/** Adds to a log. What cannot be written is lost: it must not fail a build, and can be followed from memory meanwhile. */
export interface LogWriter {
  write(line: string): void;
  end(): Promise<void>;
}

interface OpenLog {
  readonly lines: string[];
  isClosed: boolean;
  readonly wakers: Set<() => void>;
}

/** How often a log that another process writes is read, ms. */
const FOLLOW_MS = 300;

/** Creates the logs of a storage: files (`createLogFiles`), or the database that several nodes use (`createSharedLogs`). */
export function createBuildLogs(storage: LogStorage): BuildLogs {
  const open = new Map<string, OpenLog>();
  return {
    async open(project, id) {
      const { lines, writer } = await storage.open(project, id);
      const log: OpenLog = { lines, isClosed: false, wakers: new Set() };
      open.set(id, log);
      return createLog(log, writer, () => open.delete(id));
    },
    async read(project, id) {
      const lines = open.get(id)?.lines ?? (await storage.read(project, id, 0));
      return lines.map((line) => `${line}\n`).join('');
    },
    async *follow(project, id, signal) {
      const log = open.get(id);
      let next = 0;
      while (!log && !signal.aborted) {
        // Asked first: what is written until it ends is read, too.
        const isGrowing = await storage.isGrowing(id);
        for (const line of await storage.read(project, id, next)) {
          next++;
          yield line;
        }
        if (!isGrowing) return;
        await sleep(FOLLOW_MS, undefined, { signal }).catch(() => {});
      }
      while (log && !signal.aborted) {
        while (next < log.lines.length) yield log.lines[next++]!;
        if (log.isClosed) return;
        await waitForMore(log, signal);
      }
    },
    async writeProblems(project, id, problems) {
      if (problems.length === 0) return;
      // Like a log that cannot be written, this must not fail a build.
      await storage.writeProblems(project, id, JSON.stringify(problems)).catch(() => {});
    },
    async readProblems(project, id) {
      const text = await storage.readProblems(project, id).catch(() => undefined);
      try {
        return JSON.parse(text ?? '[]') as readonly BuildProblem[];
      } catch {
        // A crash has truncated it.
        return [];
      }
    },
    remove: (project, ids) => storage.remove(project, ids),
  };
}

function createLog(log: OpenLog, writer: LogWriter, forget: () => void): BuildLog {
  let bytes = log.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const add = (line: string): void => {
    log.lines.push(line);
    writer.write(line);
    for (const wake of log.wakers) wake();
  };
  return {
    write(text) {
      for (const line of text.split('\n').map(clean)) {
        if (bytes > MAX_BYTES || log.isClosed) return;
        const kept = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
        bytes += Buffer.byteLength(kept) + 1;
        add(bytes > MAX_BYTES ? `The log ends here: it is longer than ${MAX_BYTES / 1e6} MB` : kept);
      }
    },
    async close() {
      log.isClosed = true;
      for (const wake of log.wakers) wake();
      await writer.end();
      forget();
    },
  };
}

/** Returns a line as a terminal would show it: text after a carriage return overwrites it. */
function clean(line: string): string {
  const shown = trimCharacters(line, '\r');
  return shown
    .slice(shown.lastIndexOf('\r') + 1)
    .replace(ESCAPES, '')
    .replace(/[^\P{Cc}\t]|\p{Cs}/gu, '\u{fffd}');
}

function waitForMore(log: OpenLog, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      log.wakers.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    log.wakers.add(wake);
    signal.addEventListener('abort', wake);
  });
}
