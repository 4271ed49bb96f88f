import type { Command } from 'commander';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

/** Adds `docbuild notifications`: who was told of failing and mended versions, and a test. */
export function addNotificationsCommand(program: Command): void {
  addCommonOptions(program.command('notifications'))
    .description('list the notifications of failing and mended versions of a project, or send a test')
    .argument('<project>')
    .option('--test', "send a test to the project's URL")
    .action((name: string, flags: CommonFlags & { readonly test?: boolean }) =>
      withOperations(flags, async (operations) => {
        if (flags.test) {
          const outcome = await operations.sendTestNotification({ name });
          if (!outcome.success) process.exitCode = 1;
          return printResult(flags, outcome, outcome.success ? 'Delivered' : `Not delivered: ${outcome.message}`);
        }
        const notifications = await operations.listNotifications({ name });
        const lines = notifications.map(({ at, ref, state, delivery, attempts, failure }) =>
          [at, ref || 'all versions', state, delivery, attempts, failure].join('\t'),
        );
        printResult(flags, notifications, lines.join('\n') || 'No version has failed yet');
      }),
    );
}
