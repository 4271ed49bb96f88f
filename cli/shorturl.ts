import { type Command, InvalidArgumentError } from 'commander';
import type { ShortUrl } from '../data/records/short-url.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

interface ListFlags extends CommonFlags {
  readonly user?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Adds `docbuild shorturl` and its commands. */
export function addShortUrlCommands(program: Command): void {
  const shortUrl = program.command('shorturl').description('list, disable and enable short URLs');

  addCommonOptions(shortUrl.command('list'))
    .description('list short URLs, newest first')
    .option('-u, --user <uid>', 'only those of this user')
    .option('--before <code>', 'only those older than this one (next page)')
    .option('-n, --limit <number>', 'number of results, at most 1000', parseLimit, 100)
    .action(({ user, before, limit, ...flags }: ListFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listShortUrls({
          ...(user !== undefined && { uid: user }),
          ...(before !== undefined && { before }),
          limit,
        });
        printResult(flags, found, found.map(formatShortUrl).join('\n') || 'No short URLs');
      }),
    );

  addCommonOptions(shortUrl.command('disable'))
    .description('disable a short URL')
    .argument('<code>', 'the part after /t/')
    .action((code: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const disabled = await operations.disableShortUrl({ code });
        printResult(flags, disabled, `Disabled short URL "${disabled.code}"`);
      }),
    );

  addCommonOptions(shortUrl.command('enable'))
    .description('enable a disabled short URL')
    .argument('<code>', 'the part after /t/')
    .action((code: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const enabled = await operations.enableShortUrl({ code });
        printResult(flags, enabled, `Enabled short URL "${enabled.code}"`);
      }),
    );
}

function formatShortUrl({ code, uid, isDisabled, createdAt, longUrl }: ShortUrl): string {
  return [createdAt, code, uid, isDisabled ? 'disabled' : 'active', longUrl].join('\t');
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1000) throw new InvalidArgumentError('It must be from 1 to 1000.');
  return limit;
}
