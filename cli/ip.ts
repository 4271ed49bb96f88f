import { type Command, InvalidArgumentError } from 'commander';
import { formatBytes } from '../builder/index.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import { addCommonOptions, type CommonFlags, printResult, withConfig } from './run-command.ts';

interface UpdateFlags extends CommonFlags {
  readonly from?: string;
  readonly sha256?: string;
}

/** Adds `docbuild ip`: the data of the IP lookup. */
export function addIpCommands(program: Command): void {
  const ip = program.command('ip').description('the data of the IP lookup');

  addCommonOptions(ip.command('update'))
    .description('fetch newer data of the IP lookup, which a running server takes at once')
    .option('--from <place>', 'a file or URL of an .xdb or .mmdb database, also packed by gzip (default: ip2region)')
    .option('--sha256 <hash>', 'SHA-256 of what --from names, 64 hexadecimal digits', parseHash)
    .action((flags: UpdateFlags, command: Command) => {
      if (flags.sha256 !== undefined && flags.from === undefined) command.error("error: '--sha256' needs '--from'");
      return withConfig(flags, async (loaded) => {
        const { updateRegions, USUAL_SOURCES } = await import('../platform/ip/update-regions.ts');
        try {
          const sources = flags.from === undefined ? USUAL_SOURCES : [flags.from];
          const updated = await updateRegions(loaded, { sources, sha256: flags.sha256 });
          const lines = updated.map(
            ({ file, versions, bytes, format }) =>
              `${versions.map((version) => `IPv${version}`).join(' and ')}: ${formatBytes(bytes)} (${format}) → ${file}`,
          );
          printResult(flags, updated, lines.join('\n'));
        } catch (error) {
          printFailure(error, flags.json ?? false);
          process.exitCode = exitCodeOf(error);
        }
      });
    });
}

function parseHash(text: string): string {
  if (/^[\da-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must have 64 hexadecimal digits.');
}
