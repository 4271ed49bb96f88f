import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { BuildError, countNoun, type Migration } from '../builder/index.ts';
import { createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import { printResult } from './run-command.ts';
import { addSiteFlags, pickSiteFlags, readSiteFlags } from './site.ts';
import { replaceFile, writeNewFile } from './write-file.ts';

interface MigrateFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const FLAGS = pickSiteFlags(['sourceDir', 'cacheFolder']);
const FILE = '.docbuild.yml';
/** Things that are not taken over, as far as they are printed. */
const MAX_NOTES = 50;

/** Adds `docbuild migrate`: a project file for the documentation of another generator. */
export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description(`write a ${FILE} from the configuration of another documentation generator`)
    .argument('[folder]', 'the repository, or a plain folder', '.');
  addSiteFlags(command, FLAGS);
  command
    .option('--dry-run', 'print the file instead of writing it')
    .option('--force', `replace an existing ${FILE}`)
    .option('--json', 'print one JSON object instead of text')
    .action(runMigrate);
}

async function runMigrate(folder: string, flags: MigrateFlags, command: Command): Promise<void> {
  const file = join(resolve(folder), FILE);
  try {
    if (!flags.dryRun && !flags.force && existsSync(file)) throw taken(file);
    const { planMigration } = await import('../builder/index.ts');
    const codeHosts = createCodeHosts().patterns;
    const migration = await planMigration({ ...readSiteFlags(command, FLAGS), repository: folder, codeHosts });
    if (!flags.dryRun) write(file, migration.text, flags.force ?? false);
    const { generator, config, text, project, notes } = migration;
    const result = { file: flags.dryRun ? null : file, generator, config, project, text, notes };
    printResult(flags, result, describe(migration, flags.dryRun ? undefined : file));
  } catch (error) {
    printFailure(error, flags.json ?? false);
    process.exitCode = exitCodeOf(error);
  }
}

function taken(file: string): BuildError {
  return new BuildError(
    'foreign-output',
    `"${file}" exists and was not changed; --force replaces it, --dry-run shows another`,
  );
}

function write(file: string, text: string, isForced: boolean): void {
  try {
    if (isForced && existsSync(file)) replaceFile(file, text);
    else writeNewFile(file, text);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw taken(file);
    throw new BuildError('unwritable', `Cannot write "${file}": ${(cause as Error).message}`, { cause });
  }
}

function describe({ config, text, project, notes }: Migration, file: string | undefined): string {
  const count = (list: readonly unknown[] | undefined, noun: string): readonly string[] =>
    list && list.length > 0 ? [countNoun(list.length, noun)] : [];
  const taken = [
    ...Object.keys(project).filter((key) => /^(?:title|sourceDir|announcement)$/.test(key)),
    ...count(project.lang, 'language'),
    ...(project.nav ? [`navigation of ${countNoun(countPages(project.nav), 'page')}`] : []),
    ...count(Object.keys(project.redirects ?? {}), 'redirect'),
    ...count(project.theme?.links, 'link'),
    ...Object.keys(project.theme ?? {}).filter((key) => key !== 'links'),
  ];
  const rows = notes
    .slice(0, MAX_NOTES)
    .map((note) => `  ${note.file}${note.line > 0 ? `:${note.line}` : ''}: ${note.message}`);
  return [
    ...(file === undefined ? [text] : [`Wrote ${file}`]),
    `Taken over from ${config}: ${taken.join(', ') || 'nothing'}`,
    ...(notes.length > 0 ? ['Not taken over:', ...rows] : []),
    ...(notes.length > MAX_NOTES ? [`  … and ${notes.length - MAX_NOTES} more; --json lists them`] : []),
    ...(file === undefined ? [] : ['Next:', '  docbuild dev --open']),
  ].join('\n');
}

function countPages(entries: Readonly<NonNullable<Migration['project']['nav']>>): number {
  return entries.reduce((sum, { path, children }) => sum + (path === undefined ? 0 : 1) + countPages(children), 0);
}
