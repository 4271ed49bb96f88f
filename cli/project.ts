import type { Command } from 'commander';
import { DataError } from '../data/data-error.ts';
import { locateRepository } from '../platform/projects/locate-repository.ts';
import type { PresentedProject } from '../platform/projects/present-project.ts';
import type { NewProject } from '../service/open-operations.ts';
import { printFailure } from './print-failure.ts';
import { addCommonOptions, type CommonFlags, listAll, printResult, withOperations } from './run-command.ts';

/** How a secret is given; on the command line itself others on the machine can read it. */
interface SecretFlags {
  readonly secretStdin?: boolean;
  readonly generateSecret?: boolean;
  readonly generateNotifySecret?: boolean;
}

interface CreateFlags extends CommonFlags, SecretFlags {
  readonly public?: boolean;
  readonly url: string;
  readonly latest?: string;
  readonly single?: boolean;
  readonly source?: string;
  readonly lang?: string;
  readonly secret?: string;
  readonly domain?: string;
  readonly notify?: string;
  readonly before?: string;
  readonly after?: string;
  readonly timeout?: string;
  readonly schedule?: string;
  readonly poll?: string;
}

interface UpdateFlags extends CommonFlags, SecretFlags {
  readonly to?: string;
  readonly separator: string;
  readonly public?: boolean;
}

interface RemoveFlags extends CommonFlags {
  readonly yes?: boolean;
}

interface TransferFlags extends CommonFlags {
  readonly export?: string;
  readonly import?: string;
  readonly public?: boolean;
}

const SECRET_STDIN = ['--secret-stdin', 'read the secret from standard input'] as const;
const GENERATE_SECRET = ['--generate-secret', 'make a secret and print it'] as const;
const GENERATE_NOTIFY_SECRET = [
  '--generate-notify-secret',
  'make a secret that signs notifications, and print it',
] as const;
/** In place of what may contain credentials. */
const STDIN = '-';
/** An exported project contains all settings. */
const MAX_EXPORTED_BYTES = 100_000;
const PUBLIC = ['--public', 'agree that everybody may read what a repository with credentials contains'] as const;

/** Adds `docbuild project` and its commands. */
export function addProjectCommands(program: Command): void {
  const project = program.command('project').alias('p').description('manage projects');

  addCommonOptions(project.command('create'))
    .description('create a project')
    .argument('<name>', 'lower case: letters, digits, "_" and "-"')
    .requiredOption(
      '-u, --url <url>',
      `URL of the git repository, or a path on this machine; '-' reads it from standard input`,
    )
    .option('--latest <ref>', "the version that 'latest' means (default: the repository's HEAD)")
    .option('--single', 'one version only, at the root')
    .option('-s, --source <folder>', 'folder of the documentation (default: docs)')
    .option('-l, --lang <codes>', 'languages, the default one first, e.g. en,zh_CN (default: detected)')
    .option('--secret <text>', 'secret that verifies build requests and webhooks')
    .option(...SECRET_STDIN)
    .option(...GENERATE_SECRET)
    .option(...PUBLIC)
    .option('--domain <host>', 'own domain')
    .option('--notify <url>', 'URL to notify when versions fail and when they are mended')
    .option(...GENERATE_NOTIFY_SECRET)
    .option('--before <command>', 'command to run before each build')
    .option('--after <command>', 'command to run after each build')
    .option('--timeout <seconds>', 'limit of one build (default: that of the server)')
    .option('--schedule <crontab>', "when to build all versions besides pushes, e.g. '0 3 * * *'")
    .option(
      '--poll <interval>',
      'how often to look for pushes of which no webhook came, e.g. 5m (default: as the server does)',
    )
    .action((name: string, flags: CreateFlags, command: Command) => {
      checkSecretFlags(flags, command, flags.url);
      return withOperations(flags, async (operations) => {
        const url = await readGiven(flags.url, 'URL');
        const secrets = await readSecrets(flags);
        const given = flags.secret === undefined ? secrets : { ...secrets, secret: flags.secret };
        const settings = { ...toSettings({ ...flags, url }), ...given };
        const created = await operations.createProject({ name, settings, isPublic: flags.public ?? false });
        const text = `Created project "${created.name}"; build it with: docbuild build ${created.name}`;
        printWithSecrets(flags, created, text, secrets);
        if (!created.hasSecret) warnOfNoSecret(created.name);
      });
    });

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
        const all = await listAll<PresentedProject>((last) => operations.listProjects({ after: last?.name }));
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
    .option(
      '-t, --to <changes>',
      "field:value,field:value, e.g. 'latest:main,meta:excluded_branch=test|dev'; '-' reads them from standard input",
    )
    .option('-s, --separator <text>', 'separator between changes', ',')
    .option(...SECRET_STDIN)
    .option(...GENERATE_SECRET)
    .option(...GENERATE_NOTIFY_SECRET)
    .option(...PUBLIC)
    .action((name: string, flags: UpdateFlags, command: Command) => {
      if (flags.to === undefined && !flags.secretStdin && !flags.generateSecret && !flags.generateNotifySecret) {
        command.error(
          "error: say what to change: '-t field:value', '--secret-stdin', '--generate-secret' or '--generate-notify-secret'",
        );
      }
      checkSecretFlags(flags, command, flags.to);
      return withOperations(flags, async (operations) => {
        const changes = flags.to === undefined ? undefined : await readGiven(flags.to, 'changes');
        const secrets = await readSecrets(flags);
        const { hasSecret } = await operations.getProject({ name });
        const changed = await operations.updateProject({
          name,
          changes,
          separator: flags.separator,
          isPublic: flags.public ?? false,
          settings: secrets,
        });
        printWithSecrets(flags, changed, formatProject(changed), secrets);
        if (hasSecret && !changed.hasSecret) warnOfNoSecret(changed.name);
        if (changed.rebuildError === undefined) return;
        process.stderr.write(
          `"${changed.name}" has been changed, but its site could not be published again: ${changed.rebuildError}\n`,
        );
      });
    });

  addCommonOptions(project.command('remove'))
    .description('remove a project with its builds and its site')
    .argument('<name>')
    .option('-y, --yes', 'do not ask; without a terminal, and with --json, nothing is removed otherwise')
    .action(async (name: string, flags: RemoveFlags, command: Command) => {
      if (!flags.yes && !(await confirmRemoval(name, flags, command))) return;
      await withOperations(flags, async (operations) => {
        const removed = await operations.removeProject({ name });
        printResult(flags, removed, `Removed project "${removed.name}"`);
      });
    });

  addCommonOptions(project.command('transfer'))
    .description('export a project as text (including its secrets), or import one')
    .argument('[newname]', 'name of the imported project')
    .option('-e, --export <name>', 'project to export')
    .option('-i, --import <text>', "text to import; '-' reads it from standard input")
    .option(...PUBLIC)
    .action((newName: string | undefined, flags: TransferFlags, command: Command) => {
      if ((flags.export === undefined) === (flags.import === undefined))
        command.error("error: use either '-e NAME' or '-i TEXT'");
      return withOperations(flags, async (operations) => {
        if (flags.export !== undefined) {
          const { text } = await operations.exportProject({ name: flags.export });
          return printResult(flags, { text }, text);
        }
        const made = await operations.importProject({
          text: await readGiven(flags.import!, 'text', MAX_EXPORTED_BYTES),
          name: newName,
          isPublic: flags.public ?? false,
        });
        printResult(flags, made, `Created project "${made.name}"`);
      });
    });
}

/** Asks at the terminal, before the store is opened, which no other process could use meanwhile. */
async function confirmRemoval(name: string, { json = false }: RemoveFlags, command: Command): Promise<boolean> {
  const { canAsk, confirm } = await import('./confirm.ts');
  if (json || !canAsk())
    return command.error(`error: removing "${name}" removes its builds and its site, too; confirm that with --yes`);
  try {
    if (await confirm(`Remove project "${name}" with its builds and its site?`)) return true;
    process.stderr.write(`Project "${name}" stays as it is\n`);
  } catch (error) {
    printFailure(error, json);
  }
  process.exitCode = 1;
  return false;
}

function warnOfNoSecret(name: string): void {
  process.stderr.write(
    `Anybody who reaches the server may request builds of "${name}"; to give it a secret: docbuild project update --generate-secret ${name}\n`,
  );
}

function checkSecretFlags(
  { secret, secretStdin, generateSecret }: SecretFlags & Pick<CreateFlags, 'secret'>,
  command: Command,
  /** Another value that may be read from standard input. */
  other: string | undefined,
): void {
  if (secretStdin && other === STDIN) command.error("error: use only one of '-' and --secret-stdin");
  if ([secret !== undefined, secretStdin, generateSecret].filter(Boolean).length < 2) return;
  const own = command.options.map(({ long }) => long).filter((long) => /^--(?:generate-)?secret/.test(long ?? ''));
  command.error(`error: use only one of ${own.join(', ')}`);
}

/** Returns what was typed, or one line of standard input in its place: others on the machine see what is typed. */
async function readGiven(text: string, what: string, maxBytes?: number): Promise<string> {
  return text === STDIN ? (await import('./read-password.ts')).readStdin(what, maxBytes) : text;
}

/** Secrets by the fields that they are for. */
interface Secrets {
  readonly secret?: string;
  readonly notifySecret?: string;
}

/** Returns the secrets that were read or made, those that flags want. */
async function readSecrets(flags: SecretFlags): Promise<Secrets> {
  const { secretStdin, generateSecret, generateNotifySecret } = flags;
  return {
    ...(secretStdin && { secret: await (await import('./read-password.ts')).readStdin('secret') }),
    ...(generateSecret && { secret: (await import('../platform/accounts/passwords.ts')).generatePassword() }),
    ...(generateNotifySecret && {
      notifySecret: (await import('../platform/projects/project-settings.ts')).createNotifySecret(),
    }),
  };
}

/** Prints a project; of its secrets those that were made just now, since nobody else knows them. */
function printWithSecrets(
  flags: CommonFlags & SecretFlags,
  project: PresentedProject,
  text: string,
  { secret, notifySecret }: Secrets,
): void {
  const made = { ...(flags.generateSecret && { secret }), ...(notifySecret !== undefined && { notifySecret }) };
  const lines = [text];
  if (made.secret !== undefined) lines.push(`Secret: ${made.secret}`);
  if (made.notifySecret !== undefined) lines.push(`Secret of notifications: ${made.notifySecret}`);
  printResult(flags, { ...project, ...made }, lines.join('\n'));
  if (project.sharedDomain) process.stderr.write(`Warning: ${project.sharedDomain.message}\n`);
}

function toSettings(flags: CreateFlags): NewProject {
  const { url, latest, single, source, lang, domain, notify, before, after, timeout, schedule, poll } = flags;
  const values = {
    latest,
    single,
    sourceDir: source,
    lang: lang?.split(',').map((code) => code.trim()),
    domain,
    notify,
    before,
    after,
    schedule,
    poll,
    timeout: timeout === undefined ? undefined : Number(timeout),
  };
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return { ...given, url: locateRepository(url) };
}

function readField(project: PresentedProject, field: string): unknown {
  if (Object.hasOwn(project, field)) return project[field as keyof PresentedProject];
  const known = Object.keys(project).join(', ');
  throw new DataError('invalid', `Unknown field "${field.slice(0, 100)}"; known fields are ${known}`);
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
