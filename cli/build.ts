import type { Command } from 'commander';
import { countNoun } from '../builder/index.ts';
import type { Build } from '../data/records/build.ts';
import type { Operations } from '../service/open-operations.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

interface BuildFlags extends CommonFlags {
  readonly branch?: string;
  readonly all?: boolean;
}

/** Failing versions that are printed. */
const MAX_FAILING = 20;

/** Adds `docbuild build`. */
export function addBuildCommand(program: Command): void {
  addCommonOptions(program.command('build'))
    .description('build a project and wait until the build ends')
    .argument('<project>')
    .option('-b, --branch <ref>', 'branch or tag (default: latest, or all as long as there is no site)')
    .option('--all', 'all branches and tags')
    .action((name: string, flags: BuildFlags, command: Command) => {
      const { branch, all } = flags;
      if (all && branch !== undefined) command.error("error: use '--all' or '--branch', not both");
      return withOperations(flags, async (operations) => {
        const asked = await operations.build({ name, ref: branch, all });
        const build = await operations.waitForBuild({ id: asked.id }).catch(async (error: unknown) => {
          const { isServerGone } = await import('../service/open-operations.ts');
          // The request is stored.
          if (isServerGone(error)) return asked;
          throw error;
        });
        await printBuild(operations, build, flags);
        if (build.status !== 'passing') process.exitCode = 1;
      });
    });
}

async function printBuild(operations: Operations, build: Build, flags: BuildFlags): Promise<void> {
  // Loaded late: it brings the schema library, which the start of every command would pay for.
  const { hasEnded } = await import('../data/records/build.ts');
  const { project, id, result, status } = build;
  // Of a server that has stopped nothing more can be asked.
  const isOver = hasEnded(status);
  if (!flags.json && isOver) process.stderr.write((await operations.readLog({ project, id })).text);
  const found = isOver ? await operations.readProblems({ project, id }) : undefined;
  const { failing = [] } = found ?? {};
  const reason = found ? build.reason : 'the server stopped; the build resumes when it starts again';
  const errors = result?.errors ? `, ${countNoun(result.errors, 'error')}` : '';
  const counts =
    result &&
    `${countNoun(result.versions, 'version')}, ${countNoun(result.languages, 'language')}, ${countNoun(result.pages, 'page')}${errors} ` +
      `in ${(result.ms / 1000).toFixed(2)} s`;
  const lines = failing.slice(0, MAX_FAILING).map((version) => `Failing: ${version.ref}: ${version.reason}`);
  if (failing.length > MAX_FAILING) lines.push(`… and ${failing.length - MAX_FAILING} more; --json lists them`);
  lines.push(
    `Build ${id} of ${build.ref || 'all versions'}: ${status}${counts ? `; ${counts}` : ''}${reason ? `; ${reason}` : ''}`,
  );
  printResult(flags, { ...build, ...found }, lines.join('\n'));
}
