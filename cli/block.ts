import type { Command } from 'commander';
import type { Block } from '../data/records/block.ts';
import { showHost } from '../platform/blocks/show-host.ts';
import { addCommonOptions, type CommonFlags, listAll, printResult, withOperations } from './run-command.ts';

interface AddFlags extends CommonFlags {
  readonly reason?: string;
  readonly until?: string;
  readonly minutes?: string;
}

/** Adds `docbuild block`: who may not call, and which hosts short URLs warn of. */
export function addBlockCommands(program: Command): void {
  const block = program.command('block').description('list, block and unblock sources and hosts');

  addCommonOptions(block.command('list'))
    .description('list blocks, including automatic ones')
    .action((flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const all = await listAll<Block>((after) => operations.listBlocks(after ? { after } : {}));
        printResult(flags, all, all.map(formatBlock).join('\n') || 'No blocks');
      }),
    );

  addAddCommand(block, 'source');
  addAddCommand(block, 'host');

  addCommonOptions(block.command('remove'))
    .description('unblock an address or a range, or a host with --host')
    .argument('<target>')
    .option('--host', 'the target is a host')
    .action((target: string, flags: CommonFlags & { readonly host?: boolean }) =>
      withOperations(flags, async (operations) => {
        const removed = await operations.removeBlock({ kind: flags.host ? 'host' : 'source', target });
        printResult(flags, removed, `Unblocked ${showHost(removed.target)}`);
      }),
    );
}

function addAddCommand(block: Command, kind: Block['kind']): void {
  const [name, argument, description] =
    kind === 'source'
      ? ['add', '<address>', 'block requests from an address (203.0.113.7) or range (2001:db8::/32)']
      : ['host', '<host>', 'mark short URLs to a host and its subdomains as unsafe'];
  addCommonOptions(block.command(name))
    .description(description)
    .argument(argument)
    .option('--reason <text>', 'reason, which callers see')
    .option('--until <time>', 'end of the block, e.g. 2026-05-04T12:00:00Z (default: never)')
    .option('--minutes <n>', 'duration in minutes')
    .action((target: string, flags: AddFlags, command: Command) => {
      const until = toEnd(flags, command);
      return withOperations(flags, async (operations) => {
        const added = await operations.addBlock({ kind, target, reason: flags.reason, until });
        printResult(flags, added, `Blocked ${formatBlock(added)}`);
      });
    });
}

function toEnd({ until, minutes }: AddFlags, command: Command): string | undefined {
  if (minutes === undefined) return until;
  if (until !== undefined) command.error("error: use '--until' or '--minutes', not both");
  if (!/^\d{1,8}$/.test(minutes)) command.error(`error: '--minutes' needs a whole number, not '${minutes}'`);
  return new Date(Date.now() + Number(minutes) * 60_000).toISOString();
}

function formatBlock({ kind, target, by, operator, reason, until }: Block): string {
  return [kind, showHost(target), until === '' ? 'for ever' : `until ${until}`, `by ${operator ?? by}`, reason]
    .join('\t')
    .trimEnd();
}
