import type { Command } from 'commander';
import type { LedgerEntry } from '../data/records/ledger-entry.ts';
import type { GrantInput } from '../platform/quotas/grant.ts';
import type { Plan, PlanPeriod } from '../platform/quotas/plan.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

interface GrantFlags extends CommonFlags {
  readonly monthly?: string;
  readonly months?: string;
  readonly fen?: string;
  readonly note?: string;
}

const NOTE = 'kept with the booking, such as a proof of payment (up to 500 characters)';

/** Adds `docbuild user grant`, `user plan` and `user ledger` to the command `user`. */
export function addUserPlanCommands(user: Command): void {
  addCommonOptions(user.command('grant'))
    .description('record a payment: months of a tier, or an amount for single requests')
    .argument('<uid>')
    .option('--monthly <price>', 'tier by its price a month (default of the tiers: 15, 30 and 50)')
    .option('--months <n>', 'number of months of 30 days (default: 1)')
    .option('--fen <amount>', 'amount in fen for single requests')
    .option('--note <text>', NOTE)
    .action((uid: string, flags: GrantFlags, command: Command) => {
      const payment = toPayment(flags, command);
      return withOperations(flags, async (operations) => {
        const plan = await operations.grantPlan({ uid, payment, note: flags.note });
        printResult(flags, plan, formatPlan(plan));
      });
    });

  addCommonOptions(user.command('reverse'))
    .description('take back what is left of one payment: its unused requests, or the time that has not run yet')
    .argument('<uid>')
    .argument('<seq>', "the payment's number in the ledger")
    .option('--note <text>', NOTE)
    .action((uid: string, number: string, flags: CommonFlags & { readonly note?: string }, command: Command) => {
      const seq = toNumber(number, '<seq>', command);
      return withOperations(flags, async (operations) => {
        const plan = await operations.reversePayment({ uid, seq, note: flags.note });
        printResult(flags, plan, formatPlan(plan));
      });
    });

  addCommonOptions(user.command('plan'))
    .description('show the payments and the usage of a user')
    .argument('<uid>')
    .action((uid: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const plan = await operations.getPlan({ uid });
        printResult(flags, plan, formatPlan(plan));
      }),
    );

  addCommonOptions(user.command('ledger'))
    .description('check that grants, usage and expiry add up, for one user or all; exits with 1 if they do not')
    .argument('[uid]')
    .action((uid: string | undefined, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const report = await operations.checkLedger(uid === undefined ? {} : { uid });
        const sums = report.accounts.map(
          ({ uid: owner, granted, taken, returned, reversed, expired, left }) =>
            `${owner}\t${granted} granted - ${taken} taken + ${returned} returned - ${reversed} reversed - ${expired} expired = ${left} left`,
        );
        const end = report.problems.length === 0 ? `${report.entries} entries add up` : 'The ledger does not add up';
        printResult(flags, report, [...sums, ...report.problems, end].join('\n'));
        if (report.problems.length > 0) process.exitCode = 1;
      }),
    );
}

function toPayment({ monthly, months, fen }: GrantFlags, command: Command): GrantInput {
  if ((monthly === undefined) === (fen === undefined)) {
    command.error("error: use either '--monthly PRICE --months N' or '--fen AMOUNT'");
  }
  if (monthly === undefined && months !== undefined) command.error("error: '--months' needs '--monthly'");
  return monthly === undefined
    ? { fen: toNumber(fen!, '--fen', command) }
    : { monthly: toNumber(monthly, '--monthly', command), months: toNumber(months ?? '1', '--months', command) };
}

function toNumber(text: string, option: string, command: Command): number {
  if (!/^\d{1,12}$/.test(text)) command.error(`error: '${option}' needs a whole number, not '${text}'`);
  return Number(text);
}

function formatPlan({ uid, tier, coming, today, credits, ledger }: Plan): string {
  const payments = credits.payments.map(({ seq, left, count, expiresAt }) =>
    ['', `${left} of ${count} of payment ${seq} until ${expiresAt}`].join('  '),
  );
  return [
    `uid: ${uid}`,
    `plan: ${tier ? formatPeriod(tier) : 'free'}`,
    ...coming.map((period) => `then: ${formatPeriod(period)}`),
    `today: ${today.used} of ${today.limit} used until ${today.endsAt}`,
    `credits: ${credits.left}`,
    ...payments,
    ...(ledger.length > 0 ? ['ledger:', ...ledger.map((entry) => `  ${formatEntry(entry)}`)] : []),
  ].join('\n');
}

function formatPeriod({ tier, price, perDay, startsAt, endsAt }: PlanPeriod): string {
  return `tier ${tier} (${price} a month, ${perDay} a day) from ${startsAt} to ${endsAt}`;
}

function formatEntry(entry: LedgerEntry): string {
  const text = `${entry.seq}\t${entry.at}\t${describeEntry(entry)}`;
  if (entry.kind === 'use') return text;
  return [text, entry.by && `by ${entry.by}`, entry.note].filter(Boolean).join('\t');
}

function describeEntry(entry: LedgerEntry): string {
  if (entry.kind === 'credits') return `+${entry.count} for ${entry.fen} fen, until ${entry.expiresAt}`;
  if (entry.kind === 'monthly') return `tier ${entry.tier} for ${entry.months} months`;
  if (entry.kind === 'reversal') {
    const what = entry.ms > 0 ? `${formatDays(entry.ms)} days` : `${entry.requests} requests`;
    return `payment ${entry.grant} reversed: ${what} taken back`;
  }
  const returned = entry.returned > 0 ? ` +${entry.returned} returned` : '';
  return `-${entry.taken}${returned} of payment ${entry.grant}, ${entry.left} left`;
}

/** Returns days with one decimal. */
function formatDays(ms: number): string {
  return String(Math.round(ms / 8_640_000) / 10);
}
