import type { Command } from 'commander';
import { showHost } from '../platform/blocks/show-host.ts';
import type { ListedShortUrl } from '../platform/short-urls/list-short-urls.ts';
import { addCommonOptions, type CommonFlags, parseLimit, printResult, withOperations } from './run-command.ts';

interface SelectionFlags extends CommonFlags {
  readonly user?: string;
  readonly host?: string;
}

interface ListFlags extends SelectionFlags {
  readonly before?: string;
  readonly limit: number;
}

/** Adds `docbuild shorturl` and its commands. */
export function addShortUrlCommands(program: Command): void {
  const shortUrl = program.command('shorturl').description('list, show, disable and enable short URLs');

  addCommonOptions(shortUrl.command('list'))
    .description('list short URLs, newest first')
    .option('-u, --user <uid>', 'only those of this user')
    .option('--host <host>', 'only those to this host and hosts below it')
    .option('--before <code>', 'only those older than this one (next page)')
    .option('-n, --limit <number>', 'number of results, at most 1000', parseLimit, 100)
    .action(({ user, host, before, limit, ...flags }: ListFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listShortUrls({ uid: user, host, before, limit });
        printResult(flags, found, found.map(formatShortUrl).join('\n') || 'No short URLs');
      }),
    );

  addCommonOptions(shortUrl.command('show'))
    .description('show a short URL, with its owner, its state and the number of redirects')
    .argument('<code>', 'the part after /t/, or the short URL')
    .action((code: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.findShortUrl({ code });
        printResult(flags, found, formatShortUrl(found));
      }),
    );

  addChange(shortUrl, 'disable');
  addChange(shortUrl, 'enable');
}

/** Adds the command that disables or enables one short URL, or all of a user or to a host. */
function addChange(shortUrl: Command, name: 'disable' | 'enable'): void {
  const isDisabled = name === 'disable';
  addCommonOptions(shortUrl.command(name))
    .description(`${name} a short URL, or all of a user or to a host`)
    .argument('[code]', 'the part after /t/')
    .option('-u, --user <uid>', 'all of this user')
    .option('--host <host>', 'all to this host and hosts below it')
    .action((code: string | undefined, { user, host, ...flags }: SelectionFlags, command: Command) => {
      const given = [code, user, host].filter((one) => one !== undefined);
      if (given.length !== 1) command.error('error: name either a code, --user or --host', { exitCode: 2 });
      return withOperations(flags, async (operations) => {
        if (code !== undefined) {
          const changed = await (isDisabled
            ? operations.disableShortUrl({ code })
            : operations.enableShortUrl({ code }));
          // Its owner may have disabled it, too, or it may have expired.
          const state = isDisabled || changed.state === 'active' ? '' : ` (${changed.state})`;
          printResult(flags, changed, `${isDisabled ? 'Disabled' : 'Enabled'} short URL "${changed.code}"${state}`);
          return;
        }
        const changed = await operations.disableShortUrls({ uid: user, host, isDisabled });
        printResult(flags, changed, `${isDisabled ? 'Disabled' : 'Enabled'} short URLs: ${changed.count}`);
      });
    });
}

function formatShortUrl({ code, uid, state, redirects, createdAt, longUrl }: ListedShortUrl): string {
  return [createdAt, code, uid, state, showHost(longUrl), redirects].join('\t');
}
