import { type Command, Option } from 'commander';
import type { Operations } from '../api/open-operations.ts';
import type { KeyPermission } from '../data/records/api-key.ts';
import type { PresentedUser } from '../platform/accounts/users.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import type { GivenPassword } from './read-password.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

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
    .description('list all accounts')
    .action((flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const all: PresentedUser[] = [];
        for (;;) {
          const last = all.at(-1)?.account;
          const more = await operations.listUsers(last === undefined ? {} : { after: last });
          if (more.length === 0) break;
          all.push(...more);
        }
        printResult(
          flags,
          all,
          all.map(formatUser).join('\n') || 'No accounts; create one with: docbuild user create ACCOUNT',
        );
      }),
    );

  addCommonOptions(user.command('disable'))
    .description('disable an account and end its sessions')
    .argument('<uid>')
    .option('--enable', 'enable it again')
    .action((uid: string, flags: CommonFlags & { readonly enable?: boolean }) =>
      withOperations(flags, async (operations) => {
        const changed = await operations.disableUser({ uid, isDisabled: !flags.enable });
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
        const created = await operations.createKey({ uid, permission, ...(name !== undefined && { name }) });
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

function formatUser({ uid, account, isOperator, isVerified, isDisabled, createdAt }: PresentedUser): string {
  const marks = [isOperator && 'operator', isVerified && 'verified', isDisabled && 'disabled'].filter(Boolean);
  return [uid, account, marks.join(',') || '-', createdAt].join('\t');
}
