import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of a note; longer ones are cut. */
const SIZE = 1_024;
/** Memory is not full sooner, and what takes notes costs some milliseconds. */
const LONG_MS = 1_000;

let target: number | (() => number) | undefined;
let step = '';
const bytes = Buffer.alloc(SIZE);

/** Opens a file without a name for what a process is at: it can be read after that process has been killed. */
export function openWorkNote(): number {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-note-'));
  const path = join(folder, 'note');
  try {
    return openSync(path, 'w+', 0o600);
  } finally {
    // What removes all that is in a folder opens it, which there may be no room for.
    rmSync(path, { force: true });
    rmdirSync(folder);
  }
}

export function closeWorkNote(note: number): void {
  closeSync(note);
}

/** Lets this process write what it is at into an open file, by its descriptor, or what returns that the first time; undefined = nowhere. */
export function noteWorkIn(note: number | (() => number) | undefined): void {
  target = note;
}

/** Notes the step that this process is at; '' = none. What is not yet open for notes is opened once the process has run for long. */
export function noteStep(name: string): void {
  if (name === step && typeof target !== 'function') return;
  step = name;
  if (typeof target === 'number' || performance.now() >= LONG_MS) write('');
}

/** Returns the step that this process is at; '' = none. */
export function notedStep(): string {
  return step;
}

/** Runs what may end the process, with its name in the note; a write takes some microseconds. */
export function atWork<T>(name: string, run: () => T): T {
  write(name);
  try {
    return run();
  } finally {
    write('');
  }
}

function write(name: string): void {
  if (typeof target === 'function') target = target();
  if (target === undefined) return;
  bytes.fill(0);
  bytes.write(`${name.slice(0, SIZE / 8)}\n${step}\n`);
  try {
    writeSync(target, bytes, 0, SIZE, 0);
  } catch {
    // A note that cannot be written is worth no build.
    target = undefined;
  }
}

/** Work of a process when it ended, by its name and by its step; undefined where that is not known. */
export interface WorkNote {
  readonly name: string | undefined;
  readonly step: string | undefined;
}

export function readWorkNote(note: number): WorkNote {
  const read = Buffer.alloc(SIZE);
  const length = readSync(note, read, 0, SIZE, 0);
  const [name, step] = read.toString('utf8', 0, length).replaceAll('\0', '').split('\n');
  return { name: name || undefined, step: step || undefined };
}
