import type { Command } from 'commander';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

/** Adds `docbuild deliveries`: what webhooks came in, and doing one again. */
export function addDeliveriesCommand(program: Command): void {
  addCommonOptions(program.command('deliveries'))
    .description('list the webhook calls of a project, or replay one')
    .argument('<project>')
    .option('--replay <id>', 'call to replay')
    .action((name: string, flags: CommonFlags & { readonly replay?: string }) =>
      withOperations(flags, async (operations) => {
        if (flags.replay !== undefined) {
          const answer = await operations.replayDelivery({ name, id: flags.replay });
          return printResult(flags, answer, answer.message || 'Accepted');
        }
        const deliveries = await operations.listDeliveries({ name });
        const lines = deliveries.map(({ receivedAt, id, service, event, status, answer }) =>
          [receivedAt, id, service, event, status, answer].join('\t'),
        );
        printResult(flags, deliveries, lines.join('\n') || 'No webhook calls yet');
      }),
    );
}
