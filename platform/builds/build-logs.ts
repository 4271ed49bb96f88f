import { createWriteStream, mkdirSync, readFileSync, type WriteStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatProblem } from '../../builder/index.ts';
import { hasCode } from '../../lib/system-error.ts';

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
  open(project: string, id: string): BuildLog | Promise<BuildLog>;
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

interface OpenLog {
  readonly lines: string[];
  isClosed: boolean;
  readonly wakers: Set<() => void>;
}

/** Creates the logs below a folder; `folder/<project>/<build>.log` and `<build>.problems.json`. Project names and ids are safe as file names. */
export function createBuildLogs(folder: string): BuildLogs {
  const open = new Map<string, OpenLog>();
  const problemsOf = (project: string, id: string): string => join(folder, project, `${id}.problems.json`);
  const fileOf = (project: string, id: string): string => join(folder, project, `${id}.log`);
  return {
    open(project, id) {
      makeFolder(join(folder, project));
      const log: OpenLog = { lines: readLines(fileOf(project, id)), isClosed: false, wakers: new Set() };
      open.set(id, log);
      return createLog(log, createWriteStream(fileOf(project, id), { flags: 'a', mode: 0o600 }), () => open.delete(id));
    },
    async read(project, id) {
      const log = open.get(id);
      if (log) return log.lines.map((line) => `${line}\n`).join('');
      return readFile(fileOf(project, id), 'utf8').catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return '';
        throw error;
      });
    },
    async *follow(project, id, signal) {
      const log = open.get(id);
      if (!log) {
        const text = await this.read(project, id);
        yield* text.split('\n').slice(0, -1);
        return;
      }
      for (let next = 0; !signal.aborted; ) {
        while (next < log.lines.length) yield log.lines[next++]!;
        if (log.isClosed) return;
        await waitForMore(log, signal);
      }
    },
    async writeProblems(project, id, problems) {
      if (problems.length === 0) return;
      makeFolder(join(folder, project));
      // Like a log that cannot be written, this must not fail a build.
      await writeFile(problemsOf(project, id), JSON.stringify(problems), { mode: 0o600 }).catch(() => {});
    },
    async readProblems(project, id) {
      const text = await readFile(problemsOf(project, id), 'utf8').catch(() => '[]');
      try {
        return JSON.parse(text) as readonly BuildProblem[];
      } catch {
        // A crash has truncated it.
        return [];
      }
    },
    async remove(project, ids) {
      const files = ids?.flatMap((id) => [fileOf(project, id), problemsOf(project, id)]);
      const paths = files ?? [join(folder, project)];
      for (const path of paths) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Without the folder, the file cannot be written either; see below. */
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

function createLog(log: OpenLog, file: WriteStream, forget: () => void): BuildLog {
  let bytes = log.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  // A log that cannot be written must not fail a build; it can still be followed from memory.
  file.on('error', () => {});
  const add = (line: string): void => {
    log.lines.push(line);
    file.write(`${line}\n`);
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
      await new Promise<void>((resolve) => {
        file.end(() => resolve());
        file.once('error', () => resolve());
      });
      forget();
    },
  };
}

/** Returns a line as a terminal would show it: text after a carriage return overwrites it. */
function clean(line: string): string {
  const shown = line.replace(/\r+$/, '');
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
