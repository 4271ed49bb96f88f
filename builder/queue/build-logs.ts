import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../lib/system-error.ts';

/** The log of a build that is running. */
export interface BuildLog {
  /** Adds a line, or several, without control characters; what goes beyond the limit is left out, with a last line that says so. */
  write(line: string): void;
  close(): Promise<void>;
}

/** Logs of builds, one text file each. */
export interface BuildLogs {
  open(project: string, id: string): BuildLog;
  /** Gives the log up to now; '' when there is none. */
  read(project: string, id: string): Promise<string>;
  /** Gives the lines there are, then new ones as they come, until the build has ended or the signal aborts. */
  follow(project: string, id: string, signal: AbortSignal): AsyncGenerator<string>;
  remove(project: string, ids?: readonly string[]): Promise<void>;
}

const MAX_BYTES = 1_000_000;
const MAX_LINE = 2_000;
/** Colours and the like (ECMA-48 control sequences, titles of windows): logs are shown in terminals and browsers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPES = /\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;

interface OpenLog {
  readonly lines: string[];
  isClosed: boolean;
  readonly wakers: Set<() => void>;
}

/** Creates the logs below a folder; `folder/<project>/<build>.log`. Project names and ids are safe as file names. */
export function createBuildLogs(folder: string): BuildLogs {
  const open = new Map<string, OpenLog>();
  const fileOf = (project: string, id: string): string => join(folder, project, `${id}.log`);
  return {
    open(project, id) {
      makeFolder(join(folder, project));
      const log: OpenLog = { lines: [], isClosed: false, wakers: new Set() };
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
    async remove(project, ids) {
      const paths = ids === undefined ? [join(folder, project)] : ids.map((id) => fileOf(project, id));
      for (const path of paths) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Where there can be no folder, there can be no file either: see below. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {}
}

function createLog(log: OpenLog, file: WriteStream, forget: () => void): BuildLog {
  let bytes = 0;
  // A log that cannot be written must not end a build; it is still followed from memory.
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
        add(bytes > MAX_BYTES ? `The log ends here: it has more than ${MAX_BYTES / 1e6} MB` : kept);
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

/** Gives what a terminal would show of a line: what comes behind a carriage return is written over it. */
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
