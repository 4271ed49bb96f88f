import { type Command, Option } from 'commander';
import type { KeyPermission } from '../data/records/api-key.ts';
import type { PresentedUser } from '../platform/accounts/users.ts';
import type { ListedUser } from '../platform/operations/users.ts';
import type { Operations } from '../service/open-operations.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import type { GivenPassword } from './read-password.ts';
import { addCommonOptions, type CommonFlags, listAll, printResult, withOperations } from './run-command.ts';

interface PasswordFlags extends CommonFlags {
  readonly passwordStdin?: boolean;
}

const PASSWORD_STDIN = ['--password-stdin', 'read the password from standard input'] as const;

/** Adds `docbuild user` and its commands for accounts; returns it so that others can be added. */
export function addUserCommands(program: Command): Command {
  const user = program.command('user').description('manage accounts');

  addCommonOptions(user.command('create'))
    .description('create an account and print its uid; prompts for the password, or generates one without a terminal')
    .argument('<account>', 'name to log in with')
    .option(...PASSWORD_STDIN)
    .option('--operator', 'give access to the operator pages of the console')
    .action((account: string, flags: PasswordFlags & { readonly operator?: boolean }) =>
      withPassword(flags, async (operations, given) => {
        const { password } = given;
        const created = await operations.createUser({ account, password, isOperator: flags.operator ?? false });
        printResult(flags, { ...created, ...shown(given) }, created.uid);
        // Beside the result, so that a script gets the uid alone.
        if (given.isGenerated && !flags.json) process.stderr.write(`Password, shown only once: ${password}\n`);
      }),
    );

  addCommonOptions(user.command('list'))
    .description('list accounts with plan, number of short URLs and last login')
    .option('--search <text>', 'only the account with this uid, and accounts that begin with this text')
    .action(({ search, ...flags }: CommonFlags & { readonly search?: string }) =>
      withOperations(flags, async (operations) => {
        const all = await listAll<ListedUser>((last) => operations.listUsers({ search, after: last?.account }));
        printResult(
          flags,
          all,
          all.map(formatListed).join('\n') ||
            (search === undefined ? 'No accounts; create one with: docbuild user create ACCOUNT' : 'No such accounts'),
        );
      }),
    );

  addCommonOptions(user.command('disable'))
    .description('disable an account and end its sessions')
    .argument('<uid>')
    .option('--short-urls', 'disable its short URLs, too, until it is enabled again')
    .addOption(new Option('--enable', 'enable it again').conflicts('shortUrls'))
    .action((uid: string, flags: CommonFlags & { readonly enable?: boolean; readonly shortUrls?: boolean }) =>
      withOperations(flags, async (operations) => {
        const withShortUrls = flags.shortUrls ?? false;
        const changed = await operations.disableUser({ uid, isDisabled: !flags.enable, withShortUrls });
        printResult(flags, changed, formatUser(changed));
      }),
    );

  addCommonOptions(user.command('verify'))
    .description("mark a user's identity as verified")
    .argument('<uid>')
    .option('--undo', 'remove the mark')
    .action((uid: string, flags: CommonFlags & { readonly undo?: boolean }) =>
      withOperations(flags, async (operations) => {
        const changed = await operations.verifyUser({ uid, isVerified: !flags.undo });
        printResult(flags, changed, formatUser(changed));
      }),
    );

  addCommonOptions(user.command('password'))
    .description('change a password and end all sessions; prompts for it, or generates one without a terminal')
    .argument('<uid>')
    .option(...PASSWORD_STDIN)
    .action((uid: string, flags: PasswordFlags) =>
      withPassword(flags, async (operations, given) => {
        const changed = await operations.changePassword({ uid, password: given.password });
        printResult(flags, { ...changed, ...shown(given) }, given.isGenerated ? given.password : formatUser(changed));
      }),
    );

  addCommonOptions(user.command('key'))
    .description('create an API key and print it; it cannot be shown again')
    .argument('<uid>')
    .addOption(
      new Option('--permission <permission>', 'what the key may do').choices(['read', 'write']).makeOptionMandatory(),
    )
    .option('--name <text>', 'what its owner calls it')
    .action((uid: string, flags: CommonFlags & { readonly permission: KeyPermission; readonly name?: string }) =>
      withOperations(flags, async (operations) => {
        const { permission, name } = flags;
        const created = await operations.createKey({ uid, permission, name });
        printResult(flags, created, created.key);
      }),
    );
  return user;
}

/** Reads the password first: no other process can use the store while a prompt waits. */
async function withPassword(
  flags: PasswordFlags,
  work: (operations: Operations, given: GivenPassword) => Promise<void>,
): Promise<void> {
  let given: GivenPassword;
  try {
    const { readPassword } = await import('./read-password.ts');
    given = await readPassword(flags.passwordStdin ?? false);
  } catch (error) {
    printFailure(error, flags.json ?? false);
    process.exitCode = flags.passwordStdin ? exitCodeOf(error) : 1;
    return;
  }
  await withOperations(flags, (operations) => work(operations, given));
}

/** A password that the operator has chosen is not printed. */
function shown({ password, isGenerated }: GivenPassword): { readonly password?: string } {
  return isGenerated ? { password } : {};
}

function formatListed(user: ListedUser): string {
  const plan = user.plan === 'free' ? 'free' : `tier ${user.plan}`;
  return [formatUser(user), plan, user.shortUrls, user.lastLoginAt ?? '-'].join('\t');
}

function formatUser(user: PresentedUser): string {
  const { uid, account, isOperator, isVerified, isDisabled, areShortUrlsDisabled, createdAt } = user;
  const marks = [
    ...[isOperator && 'operator', isVerified && 'verified', isDisabled && 'disabled'],
    areShortUrlsDisabled && 'short URLs disabled',
  ].filter(Boolean);
  return [uid, account, marks.join(',') || '-', createdAt].join('\t');
}
