import type { Command } from 'commander';
import type { NewProject } from '../api/open-operations.ts';
import { DataError } from '../data/data-error.ts';
import { locateRepository } from '../platform/projects/locate-repository.ts';
import type { PresentedProject } from '../platform/projects/present-project.ts';
import { addCommonOptions, type CommonFlags, printResult, withOperations } from './run-command.ts';

interface CreateFlags extends CommonFlags {
  readonly url: string;
  readonly latest?: string;
  readonly single?: boolean;
  readonly source?: string;
  readonly lang?: string;
  readonly secret?: string;
  readonly domain?: string;
  readonly before?: string;
  readonly after?: string;
}

/** Adds `docbuild project` and its commands. */
export function addProjectCommands(program: Command): void {
  const project = program.command('project').alias('p').description('manage projects');

  addCommonOptions(project.command('create'))
    .description('create a project')
    .argument('<name>', 'lower case: letters, digits, "_" and "-"')
    .requiredOption('-u, --url <url>', 'URL of the git repository, or a path on this machine')
    .option('--latest <ref>', "the version that 'latest' means (default: the repository's HEAD)")
    .option('--single', 'one version only, at the root')
    .option('-s, --source <folder>', 'folder of the documentation (default: docs)')
    .option('-l, --lang <codes>', 'languages, the default one first, e.g. en,zh_CN (default: detected)')
    .option('--secret <text>', 'secret that verifies build requests and webhooks')
    .option('--domain <host>', 'own domain')
    .option('--before <command>', 'command to run before each build')
    .option('--after <command>', 'command to run after each build')
    .action((name: string, flags: CreateFlags) =>
      withOperations(flags, async (operations) => {
        const created = await operations.createProject({ name, settings: toSettings(flags) });
        printResult(flags, created, `Created project "${created.name}"; build it with: docbuild build ${created.name}`);
      }),
    );

  addCommonOptions(project.command('get'))
    .description('show a project, or one of its fields')
    .argument('<name[:field]>')
    .option('-b, --bare', 'print only the value')
    .action((text: string, flags: CommonFlags & { readonly bare?: boolean }) =>
      withOperations(flags, async (operations) => {
        const [name = '', field] = text.split(':', 2);
        const found = await operations.getProject({ name });
        if (field === undefined) return printResult(flags, found, formatProject(found));
        const value = readField(found, field);
        printResult(flags, value, flags.bare ? formatValue(value) : `${field}: ${formatValue(value)}`);
      }),
    );

  addCommonOptions(project.command('list'))
    .description('list all projects')
    .action((flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const all: PresentedProject[] = [];
        for (;;) {
          const last = all.at(-1)?.name;
          const more = await operations.listProjects(last === undefined ? {} : { after: last });
          if (more.length === 0) break;
          all.push(...more);
        }
        const lines = all.map(({ name, url, versions }) => `${name}\t${url}\t${versions.length} versions`);
        printResult(
          flags,
          all,
          lines.join('\n') || 'No projects; create one with: docbuild project create -u URL NAME',
        );
      }),
    );

  addCommonOptions(project.command('update'))
    .description('change fields of a project')
    .argument('<name>')
    .requiredOption('-t, --to <changes>', "field:value,field:value, e.g. 'latest:main,meta:excluded_branch=test|dev'")
    .option('-s, --separator <text>', 'separator between changes', ',')
    .action((name: string, flags: CommonFlags & { readonly to: string; readonly separator: string }) =>
      withOperations(flags, async (operations) => {
        const changed = await operations.updateProject({ name, changes: flags.to, separator: flags.separator });
        printResult(flags, changed, formatProject(changed));
      }),
    );

  addCommonOptions(project.command('remove'))
    .description('remove a project with its builds and its site')
    .argument('<name>')
    .action((name: string, flags: CommonFlags) =>
      withOperations(flags, async (operations) => {
        const removed = await operations.removeProject({ name });
        printResult(flags, removed, `Removed project "${removed.name}"`);
      }),
    );

  addCommonOptions(project.command('transfer'))
    .description('export a project as text (including its secrets), or import one')
    .argument('[newname]', 'name of the imported project')
    .option('-e, --export <name>', 'project to export')
    .option('-i, --import <text>', 'text to import')
    .action(
      (
        newName: string | undefined,
        flags: CommonFlags & { readonly export?: string; readonly import?: string },
        command: Command,
      ) => {
        if ((flags.export === undefined) === (flags.import === undefined))
          command.error("error: use either '-e NAME' or '-i TEXT'");
        return withOperations(flags, async (operations) => {
          if (flags.export !== undefined) {
            const { text } = await operations.exportProject({ name: flags.export });
            return printResult(flags, { text }, text);
          }
          const made = await operations.importProject({
            text: flags.import!,
            ...(newName !== undefined && { name: newName }),
          });
          printResult(flags, made, `Created project "${made.name}"`);
        });
      },
    );
}

function toSettings(flags: CreateFlags): NewProject {
  const { url, latest, single, source, lang, secret, domain, before, after } = flags;
  const values = {
    latest,
    single,
    sourceDir: source,
    lang: lang?.split(',').map((code) => code.trim()),
    secret,
    domain,
    before,
    after,
  };
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return { ...given, url: locateRepository(url) };
}

function readField(project: PresentedProject, field: string): unknown {
  if (Object.hasOwn(project, field)) return project[field as keyof PresentedProject];
  const known = Object.keys(project).join(', ');
  throw new DataError('not-found', `Unknown field "${field.slice(0, 100)}"; known fields are ${known}`);
}

function formatProject(project: PresentedProject): string {
  const { versions, failing = [], ...fields } = project;
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${formatValue(value)}`);
  lines.push(`versions: ${versions.map(({ ref }) => ref).join(', ')}`);
  if (failing.length > 0) lines.push(`failing: ${failing.map(({ ref }) => ref).join(', ')}`);
  return lines.join('\n');
}

function formatValue(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}
