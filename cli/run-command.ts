import { type Command, InvalidArgumentError } from 'commander';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { Operations } from '../service/open-operations.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';

/** Flags of every command that works on a configuration. */
export interface CommonFlags {
  readonly config?: string;
  readonly json?: boolean;
}

/** Adds the flags that all such commands take. */
export function addCommonOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration (default: ./docbuild.yml, else ~/.docbuild.yml)')
    .option('--json', 'print JSON instead of text');
}

/** Runs a command's work on the configuration; a failure is printed and ends the process with 1. */
export async function withConfig(flags: CommonFlags, work: (loaded: LoadedConfig) => Promise<void>): Promise<void> {
  try {
    const { readConfig } = await import('../platform/config/read-config.ts');
    await work(readConfig(flags.config, process.cwd()));
  } catch (error) {
    printFailure(error, flags.json ?? false);
    process.exitCode = 1;
  }
}

/**
 * Runs a command's work with the operations, by the server that runs or by this process. A failure is printed and ends the
 * process with 1, or with 2 where the operations cannot use what was typed.
 */
export async function withOperations(
  flags: CommonFlags,
  work: (operations: Operations) => Promise<void>,
): Promise<void> {
  await withConfig(flags, async (loaded) => {
    const { openOperations } = await import('../service/open-operations.ts');
    const { operations, close } = await openOperations(loaded, (message) => process.stderr.write(`${message}\n`));
    try {
      await work(operations);
    } catch (error) {
      printFailure(error, flags.json ?? false);
      process.exitCode = exitCodeOf(error);
    } finally {
      await close();
    }
  });
}

/** Prints a result: as JSON, or as the text for people. */
export function printResult(flags: CommonFlags, result: unknown, text: string): void {
  process.stdout.write(flags.json ? `${JSON.stringify(result)}\n` : `${text}\n`);
}

/** Returns the port of a flag. Throws InvalidArgumentError. */
export function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

/** Returns all entries; `listAfter` returns the next ones after an entry, none at the end. */
export async function listAll<Entry>(
  listAfter: (last: Entry | undefined) => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for (let more = await listAfter(undefined); more.length > 0; more = await listAfter(all.at(-1))) all.push(...more);
  return all;
}

/** Entries that a command lists at most. */
export const MAX_LISTED = 1000;

/** Returns how many entries to list. Throws InvalidArgumentError. */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LISTED}.`);
}
