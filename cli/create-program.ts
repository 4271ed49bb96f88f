import { Command, type CommanderError } from 'commander';
import { readPackageVersion, stripCredentials } from '../builder/index.ts';
import { addApiCommand } from './api.ts';
import { addAuditCommand } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addBlockCommands } from './block.ts';
import { addBuildCommand } from './build.ts';
import { addBuildsCommands } from './builds.ts';
import { addCfgCommand } from './cfg.ts';
import { addDeliveriesCommand } from './deliveries.ts';
import { addDevCommand } from './dev.ts';
import { addImageCommands } from './image.ts';
import { addInitCommand } from './init.ts';
import { addLimitsCommands } from './limits.ts';
import { addMcpCommand } from './mcp.ts';
import { addMigrateCommand } from './migrate.ts';
import { addNewCommand } from './new.ts';
import { addNotificationsCommand } from './notifications.ts';
import { addProjectCommands } from './project.ts';
import { addPurgeCommand } from './purge.ts';
import { addShortUrlCommands } from './shorturl.ts';
import { addSiteCommand } from './site.ts';
import { addStoreCommands } from './store.ts';
import { addUserCommands } from './user.ts';
import { addUserPlanCommands } from './user-plan.ts';

/** All commands by their names and aliases. Creating options is slow, so a process adds only the command that it was started with. */
const COMMANDS: readonly { readonly names: readonly string[]; readonly add: (program: Command) => void }[] = [
  { names: ['site'], add: addSiteCommand },
  { names: ['new'], add: addNewCommand },
  { names: ['migrate'], add: addMigrateCommand },
  { names: ['dev'], add: addDevCommand },
  { names: ['mcp'], add: addMcpCommand },
  { names: ['init'], add: addInitCommand },
  { names: ['cfg'], add: addCfgCommand },
  { names: ['project', 'p'], add: addProjectCommands },
  { names: ['build'], add: addBuildCommand },
  { names: ['builds'], add: addBuildsCommands },
  { names: ['deliveries'], add: addDeliveriesCommand },
  { names: ['notifications'], add: addNotificationsCommand },
  { names: ['purge'], add: addPurgeCommand },
  { names: ['user'], add: (program) => addUserPlanCommands(addUserCommands(program)) },
  { names: ['block'], add: addBlockCommands },
  { names: ['audit'], add: addAuditCommand },
  { names: ['limits'], add: addLimitsCommands },
  { names: ['shorturl'], add: addShortUrlCommands },
  { names: ['image'], add: addImageCommands },
  { names: ['store'], add: addStoreCommands },
  { names: ['backup', 'restore'], add: addBackupCommands },
  { names: ['api'], add: addApiCommand },
];

/**
 * Returns the program with the command that `args` (without node and the script) begin with, or with all commands if they begin
 * with none. `onExit` is called where the arguments end it, with the exit code: 0 for help and the version, 2 for wrong use; it
 * throws or ends the process.
 */
export function createProgram(args: readonly string[], onExit: (code: 0 | 2) => never): Command {
  const program = new Command('docbuild')
    .description('Documentation from git: every version, every language, one static site')
    .version(readPackageVersion(), '-V, --version')
    .showHelpAfterError('(docbuild --help shows the commands)')
    .configureHelp({ showGlobalOptions: true })
    // Commander repeats the argument that it refuses.
    .configureOutput({ outputError: (message, write) => write(stripCredentials(message)) });
  const asked = COMMANDS.filter(({ names }) => names.includes(args[0] ?? ''));
  for (const { add } of asked.length > 0 ? asked : COMMANDS) add(program);
  const exit = (error: CommanderError): never => onExit(error.exitCode === 0 ? 0 : 2);
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...commands]) command.exitOverride(exit);
  return program;
}
