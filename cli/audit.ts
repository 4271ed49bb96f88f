import { type Command, InvalidArgumentError } from 'commander';
import type { AuditEntry } from '../data/records/audit-entry.ts';
import { ENTRY_ID } from '../data/records/entry-id.ts';
import {
  addCommonOptions,
  type CommonFlags,
  MAX_LISTED,
  parseLimit,
  printResult,
  withOperations,
} from './run-command.ts';

interface AuditFlags extends CommonFlags {
  readonly who?: string;
  readonly action?: string;
  readonly target?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Adds `docbuild audit`: who changed what, when and from where. */
export function addAuditCommand(program: Command): void {
  addCommonOptions(program.command('audit'))
    .description('show who changed what, newest first; entries are kept for 90 days')
    .option('--who <name>', "only what this account, uid or system's user did")
    .option('--action <name>', 'only this action, such as verifyUser')
    .option('--target <name>', 'only what was done to this uid, project, code or address')
    .option('--before <id>', 'only entries older than this one (next page)', parseEntryId)
    .option('-n, --limit <number>', `number of results, at most ${MAX_LISTED}`, parseLimit, 100)
    .action(({ who, action, target, before, limit, ...flags }: AuditFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listAudit({ actor: who, action, target, before, limit });
        printResult(flags, found, found.map(formatEntry).join('\n') || 'No entries');
      }),
    );
}

/** Returns the id of an entry. Throws InvalidArgumentError. */
function parseEntryId(text: string): string {
  if (ENTRY_ID.test(text)) return text;
  throw new InvalidArgumentError('It must be the id of an entry, as --json shows it.');
}

function formatEntry({ at, actor, from, action, outcome, target, details, repeated }: AuditEntry): string {
  const what = outcome === 'failed' ? `${action} (failed)` : action;
  const times = repeated ? `${repeated.count} times, last at ${repeated.lastAt}; ` : '';
  return [at, actor, from || '-', what, target || '-', times + details].join('\t').trimEnd().replace(/;$/, '');
}
