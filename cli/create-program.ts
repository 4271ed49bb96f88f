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
import { addMigrateCommand } from './migrate.ts';
import { addNewCommand } from './new.ts';
import { addNotificationsCommand } from './notifications.ts';
import { addProjectCommands } from './project.ts';
import { addShortUrlCommands } from './shorturl.ts';
import { addSiteCommand } from './site.ts';
import { addStoreCommands } from './store.ts';
import { addUserCommands } from './user.ts';
import { addUserPlanCommands } from './user-plan.ts';

/**
 * Returns the program with all its commands. `onExit` is called where the arguments end it, with the exit code: 0 for help and
 * the version, 2 for wrong use; it throws or ends the process.
 */
export function createProgram(onExit: (code: 0 | 2) => never): Command {
  const program = new Command('docbuild')
    .description('Documentation from git: every version, every language, one static site')
    .version(readPackageVersion(), '-V, --version')
    .showHelpAfterError('(docbuild --help shows the commands)')
    .configureHelp({ showGlobalOptions: true })
    // Commander repeats the argument that it refuses.
    .configureOutput({ outputError: (message, write) => write(stripCredentials(message)) });
  addSiteCommand(program);
  addNewCommand(program);
  addMigrateCommand(program);
  addDevCommand(program);
  addInitCommand(program);
  addCfgCommand(program);
  addProjectCommands(program);
  addBuildCommand(program);
  addBuildsCommands(program);
  addDeliveriesCommand(program);
  addNotificationsCommand(program);
  addUserPlanCommands(addUserCommands(program));
  addBlockCommands(program);
  addAuditCommand(program);
  addShortUrlCommands(program);
  addImageCommands(program);
  addStoreCommands(program);
  addBackupCommands(program);
  addApiCommand(program);
  const exit = (error: CommanderError): never => onExit(error.exitCode === 0 ? 0 : 2);
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...commands]) command.exitOverride(exit);
  return program;
}
