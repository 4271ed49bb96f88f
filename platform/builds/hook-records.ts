import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { hasVariable, listGroup, readPlace, readStat } from '../../lib/process-identity.ts';

/** Which commands run, on disk: a server that is killed leaves them running, and the next one ends them. */
export interface HookRecords {
  /** Records the process group of a build's command. Throws the system's error. */
  add(build: string, group: number): void;
  remove(build: string): void;
  /** Ends the commands that other processes left, but for those of builds that still run; returns the ids of the builds. */
  endLeft(runs?: (build: string) => Promise<boolean>): Promise<readonly string[]>;
}

const recordSchema = z.object({ group: z.int().min(2), start: z.string().min(1), place: z.string() });

/** The variable that tells a command its build. */
export const BUILD_VARIABLE = 'DOCBUILD_BUILD';
/** How long the end of killed processes is waited for. */
const END_MS = 5_000;
const POLL_MS = 20;

/** Creates the records: one file for each command that runs, `folder/<build>.json`. */
export function createHookRecords(folder: string): HookRecords {
  const fileOf = (build: string): string => join(folder, `${build}.json`);
  const remove = (build: string): void => rmSync(fileOf(build), { force: true });
  return {
    add(build, group) {
      mkdirSync(folder, { recursive: true });
      const record = { group, start: readStat(group).start, place: readPlace() };
      writeFileSync(fileOf(build), JSON.stringify(record), { mode: 0o600 });
    },
    remove,
    async endLeft(runs = async () => false) {
      const ended: string[] = [];
      for (const name of listFiles(folder)) {
        const build = name.replace(/\.json$/, '');
        if (await runs(build)) continue;
        if (await endGroup(build, readRecord(join(folder, name)))) ended.push(build);
        remove(build);
      }
      return ended;
    },
  };
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-z]+\.json$/.test(name));
  } catch {
    return []; // no command has ever been run
  }
}

function readRecord(file: string): z.infer<typeof recordSchema> | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined; // the command begins after its record is written
  }
}

/**
 * Ends a process group if it is still the one on record: its number may belong to others by now. It is the same if its first
 * process is; if that has ended, by what the others were started with. Returns whether there was anything to end.
 */
async function endGroup(build: string, record: z.infer<typeof recordSchema> | undefined): Promise<boolean> {
  if (record?.place !== readPlace()) return false;
  const { group, start } = record;
  const members = listGroup(group);
  const isSame = readStat(group).start === start || members.some((pid) => hasVariable(pid, BUILD_VARIABLE, build));
  if (members.length === 0 || !isSame) return false;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    return false; // it has just ended, or belongs to another user
  }
  const endMs = performance.now() + END_MS;
  while (listGroup(group).length > 0 && performance.now() < endMs) await setTimeout(POLL_MS);
  return true;
}
