import { type Command, InvalidArgumentError } from 'commander';
import type { ListedLimit } from '../platform/operations/limits.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

/** Adds `docbuild limits`: limits of rates, who meets them, and setting them. */
export function addLimitsCommands(program: Command): void {
  const limits = program.command('limits').description('show and set limits of rates');

  addCommonOptions(limits.command('list'))
    .description('list all limits, and how often a running server has refused calls because of them')
    .action((flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listLimits({});
        printResult(flags, found, found.map(formatLimit).join('\n'));
      }),
    );

  addCommonOptions(limits.command('set'))
    .description('set a limit, in the configuration file or for all nodes; without a value, restore the usual one')
    .argument('<key>', 'such as limits.changes_per_minute')
    .argument('[value]', 'a whole number', parseValue)
    .action((key: string, value: number | undefined, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const { waiting } = await operations.setLimits({ values: { [key]: value ?? null } });
        const when = waiting.length > 0 ? '; it takes effect after a restart' : '';
        printResult(
          flags,
          { key, value: value ?? null, waiting },
          `Set ${key} to ${value ?? 'its usual value'}${when}`,
        );
      }),
    );
}

function parseValue(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function formatLimit({ key, value, title, refused }: ListedLimit): string {
  const now = refused ? `${refused.callers} at the limit now, ${refused.lastHour} refused in the last hour` : '';
  return [key || 'fixed', value ?? '', title, now].join('\t').trimEnd();
}
