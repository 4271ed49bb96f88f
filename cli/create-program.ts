import type { Command } from 'commander';
import { readPackageVersion } from '../builder/index.ts';
import { findMeant } from '../lib/similar-names.ts';
import { addApiCommand } from './api.ts';
import { addAuditCommand } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addBlockCommands } from './block.ts';
import { addBuildCommand } from './build.ts';
import { addBuildsCommands } from './builds.ts';
import { addCfgCommand } from './cfg.ts';
import { addGuide, createRoot, type Exit, type Guide, locatePage } from './command.ts';
import { addCompletionCommand } from './completion.ts';
import { addDeliveriesCommand } from './deliveries.ts';
import { addDevCommand } from './dev.ts';
import { addDoctorCommand } from './doctor.ts';
import { addImageCommands } from './image.ts';
import { addInitCommand } from './init.ts';
import { addIpCommands } from './ip.ts';
import { addLimitsCommands } from './limits.ts';
import { addMcpCommand } from './mcp.ts';
import { addMigrateCommand } from './migrate.ts';
import { addNewCommand } from './new.ts';
import { addNodesCommand } from './nodes.ts';
import { addNotificationsCommand } from './notifications.ts';
import { addProjectCommands } from './project.ts';
import { addPurgeCommand } from './purge.ts';
import { addServeCommand } from './serve.ts';
import { addShortUrlCommands } from './shorturl.ts';
import { addSiteCommand } from './site.ts';
import { addStoreCommands } from './store.ts';
import { addUserCommands } from './user.ts';
import { addUserPlanCommands } from './user-plan.ts';

/** A command with others below it, or a few that belong together. */
interface CommandRow extends Guide {
  /** Names and aliases. */
  readonly names: readonly string[];
  readonly add: (program: Command) => void;
}

/**
 * All commands, in groups, in the order of the help. Creating options is slow, so a process adds only the command that it was
 * started with.
 */
const GROUPS: Readonly<Record<string, readonly CommandRow[]>> = {
  'Write:': [
    {
      names: ['new'],
      add: addNewCommand,
      examples: ['docbuild new guide', 'docbuild new . --lang en,zh_CN --git'],
      page: 'new',
    },
    {
      names: ['migrate'],
      add: addMigrateCommand,
      examples: ['docbuild migrate --dry-run', 'docbuild migrate ../guide'],
      page: 'migrating',
    },
    {
      names: ['dev'],
      add: addDevCommand,
      examples: ['docbuild dev --open', 'docbuild dev ../guide --port 8080'],
      page: 'dev',
    },
  ],
  'Publish:': [
    {
      names: ['site'],
      add: addSiteCommand,
      examples: [
        'docbuild site . --out public',
        'docbuild site https://example.com/you/guide.git --out public --base-url https://docs.example.com/',
        "docbuild site . --out public --refs 'main|v2.*' --strict",
      ],
      page: 'site',
    },
    {
      names: ['serve'],
      add: addServeCommand,
      examples: ['docbuild serve public', 'docbuild serve public --port 8080 --open'],
      page: 'site',
    },
    { names: ['mcp'], add: addMcpCommand, examples: ['docbuild mcp public'], page: 'mcp' },
  ],
  'Operate a server:': [
    { names: ['init'], add: addInitCommand, examples: ['docbuild init'], page: 'configuration' },
    {
      names: ['cfg'],
      add: addCfgCommand,
      examples: ['docbuild cfg', 'docbuild cfg api port'],
      page: 'configuration',
    },
    {
      names: ['api'],
      add: addApiCommand,
      examples: ['docbuild api', 'docbuild api --config /etc/docbuild.yml --port 8080'],
      page: 'server',
    },
    {
      names: ['doctor'],
      add: addDoctorCommand,
      examples: ['docbuild doctor', 'docbuild doctor --config /etc/docbuild.yml --json'],
      page: 'troubleshooting',
    },
    {
      names: ['project', 'p'],
      add: addProjectCommands,
      examples: [
        'docbuild project create --url https://example.com/you/guide.git --generate-secret guide',
        'docbuild project get guide:latest --bare',
        'docbuild project list',
        "docbuild project update guide --to 'latest:main,lang:en'",
        'docbuild project remove guide --yes',
        'docbuild project transfer --export guide',
      ],
      page: 'server',
    },
    {
      names: ['build'],
      add: addBuildCommand,
      examples: ['docbuild build guide', 'docbuild build guide --branch v2.0'],
      page: 'server',
    },
    {
      names: ['builds'],
      add: addBuildsCommands,
      examples: [
        'docbuild builds list guide --open',
        'docbuild builds retry 0mmrj9dc0000q1w2e3r4',
        'docbuild builds cancel 0mmrj9dc0000q1w2e3r4',
      ],
      page: 'server',
    },
    {
      names: ['deliveries'],
      add: addDeliveriesCommand,
      examples: ['docbuild deliveries guide'],
      page: 'server',
    },
    {
      names: ['notifications'],
      add: addNotificationsCommand,
      examples: ['docbuild notifications guide --test'],
      page: 'server',
    },
    { names: ['purge'], add: addPurgeCommand, examples: ['docbuild purge guide'], page: 's3' },
    {
      names: ['user'],
      add: (program) => addUserPlanCommands(addUserCommands(program)),
      examples: [
        'docbuild user create ada --operator',
        'docbuild user list --search ada',
        'docbuild user disable 2718281828 --short-urls',
        'docbuild user verify 2718281828',
        'docbuild user password 2718281828',
        'docbuild user key 2718281828 --permission read',
        'docbuild user grant 2718281828 --monthly 30 --months 3',
        'docbuild user reverse 2718281828 2',
        'docbuild user plan 2718281828',
        'docbuild user ledger',
      ],
      page: 'accounts',
    },
    {
      names: ['block'],
      add: addBlockCommands,
      examples: [
        'docbuild block list',
        'docbuild block add 203.0.113.7 --minutes 60',
        'docbuild block host example.com',
        'docbuild block remove 203.0.113.7',
      ],
      page: 'quotas',
    },
    {
      names: ['limits'],
      add: addLimitsCommands,
      examples: ['docbuild limits list', 'docbuild limits set limits.changes_per_minute 120'],
      page: 'quotas',
    },
    { names: ['nodes'], add: addNodesCommand, examples: ['docbuild nodes', 'docbuild nodes --json'], page: 'scale' },
    {
      names: ['audit'],
      add: addAuditCommand,
      examples: ['docbuild audit --action removeProject --limit 20'],
      page: 'console',
    },
    {
      names: ['shorturl'],
      add: addShortUrlCommands,
      examples: [
        'docbuild shorturl list --host example.com',
        'docbuild shorturl show k7m2xq',
        'docbuild shorturl disable k7m2xq',
        'docbuild shorturl enable --user 2718281828',
      ],
      page: 'short-urls',
    },
    {
      names: ['image'],
      add: addImageCommands,
      examples: ['docbuild image import images.json'],
      page: 'daily-image',
    },
    {
      names: ['ip'],
      add: addIpCommands,
      examples: ['docbuild ip update', 'docbuild ip update --from dbip-city-lite-2026-11.mmdb.gz'],
      page: 'ip-lookup',
    },
    {
      names: ['store'],
      add: addStoreCommands,
      examples: ['docbuild store copy --from .docbuild --to postgres://docbuild@localhost/docbuild'],
      page: 'postgresql',
    },
    {
      names: ['backup', 'restore'],
      add: addBackupCommands,
      examples: ['docbuild backup docbuild.tar.gz', 'docbuild restore docbuild.tar.gz --check'],
      page: 'operating',
    },
  ],
  'Help:': [
    {
      names: ['completion'],
      add: (program) => addCompletionCommand(program, () => createProgram([], failToExit)),
      examples: ['docbuild completion bash', 'docbuild completion zsh'],
      page: 'commands',
    },
  ],
};

const COMMANDS = Object.entries(GROUPS).flatMap(([group, rows]) => rows.map((row) => ({ ...row, group })));
const HELP_GROUP = 'Help:';

/**
 * Returns the program with the command that `args` (without node and the script) begin with, or with all commands if they begin
 * with none. `onExit` is called where the arguments end it.
 */
export function createProgram(args: readonly string[], onExit: Exit): Command {
  const program = createRoot('docbuild', args, onExit)
    .description('Documentation from git: every version, every language, one static site')
    .version(readPackageVersion(), '-V, --version')
    .helpCommand(false)
    .addHelpText('after', () => `\ndocbuild <command> --help shows more.\nDocumentation: ${locatePage('index')}`);
  const asked = COMMANDS.filter(({ names }) => names.includes(args[0] ?? ''));
  for (const { add, group, ...guide } of asked.length > 0 ? asked : COMMANDS) {
    const before = program.commands.length;
    add(program);
    for (const command of program.commands.slice(before)) addGuide(command.helpGroup(group), guide);
  }
  if (asked.length === 0) addHelpCommand(program);
  return program;
}

/** For a program that runs no arguments. */
function failToExit(): never {
  throw new Error('A program without arguments does not end');
}

/** Adds `docbuild help`; commander's own shows the help of all where a command does not exist. */
function addHelpCommand(program: Command): void {
  program
    .command('help')
    .description('show the help of a command')
    .argument('[command...]')
    .helpGroup(HELP_GROUP)
    .action((names: readonly string[]) => {
      let shown = program;
      for (const name of names) shown = findCommand(shown, name);
      shown.help();
    });
}

/** Finds a command below another one, or ends the program and says what was probably meant. */
function findCommand(above: Command, name: string): Command {
  const found = above.commands.find((one) => [one.name(), ...one.aliases()].includes(name));
  if (found) return found;
  const meant = findMeant(
    name,
    above.commands.map((one) => one.name()),
  );
  return above.error(`error: unknown command '${name}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
}
