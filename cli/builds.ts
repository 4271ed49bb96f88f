import type { Command } from 'commander';
import type { Build } from '../data/records/build.ts';
import {
  addCommonOptions,
  type CommonFlags,
  MAX_LISTED,
  parseLimit,
  printResult,
  withOperations,
} from './run-command.ts';

interface ListFlags extends CommonFlags {
  readonly open?: boolean;
  readonly limit: number;
}

/** Adds `docbuild builds`: which builds there are, and cancelling some. */
export function addBuildsCommands(program: Command): void {
  const builds = program.command('builds').description('list, retry and cancel builds');

  addCommonOptions(builds.command('list'))
    .description('list the builds of a project, or of all, newest first')
    .argument('[project]')
    .option('--open', 'only those that wait or run')
    .option('--limit <n>', `how many, up to ${MAX_LISTED}`, parseLimit, 50)
    .action((project: string | undefined, { open = false, limit, ...flags }: ListFlags) =>
      withOperations(flags, async (operations) => {
        const found = await operations.listBuilds({ project, isOpen: open, limit });
        printResult(flags, found, found.map(formatBuild).join('\n') || 'No builds');
      }),
    );

  addCommonOptions(builds.command('retry'))
    .description('request once more what builds were for that have ended')
    .argument('<id...>')
    .action((ids: readonly string[], flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const made: Build[] = [];
        for (const id of ids) made.push(await operations.retryBuild({ id }));
        const lines = made.map(
          ({ id, project, ref }) => `Build ${id} of ${project} (${ref || 'all versions'}) is requested`,
        );
        printResult(flags, made, lines.join('\n'));
      }),
    );

  addCommonOptions(builds.command('cancel'))
    .description('cancel builds that wait or run; the exit code is 1 unless all of them are cancelled')
    .argument('<id...>')
    .action((ids: readonly string[], flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        // All at once: none of them begins because another one has made room.
        const ended = await Promise.all(ids.map((id) => operations.cancelBuild({ id })));
        const lines = ended.map(({ id, project, status }) => `Build ${id} of ${project} is ${status}`);
        printResult(flags, ended, lines.join('\n'));
        if (ended.some(({ status }) => status !== 'cancelled')) process.exitCode = 1;
      }),
    );
}

function formatBuild({ id, project, ref, status, createdAt, reason }: Build): string {
  return [id, project, ref || 'all versions', status, createdAt, reason].join('\t').trimEnd();
}
