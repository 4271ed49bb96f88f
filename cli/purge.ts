import type { Command } from 'commander';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

/** Adds `docbuild purge`, which tells the CDN to forget the pages of a project. */
export function addPurgeCommand(program: Command): void {
  addCommonOptions(program.command('purge'))
    .description('tell the CDN in front of the sites to forget the pages of a project')
    .argument('<project>')
    .action((name: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const outcome = await operations.purgeSite({ name });
        if (!outcome.success) process.exitCode = 1;
        printResult(flags, outcome, outcome.success ? 'The CDN was told' : `The CDN was not told: ${outcome.message}`);
      }),
    );
}
