#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { readPackageVersion } from '../builder/index.ts';
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

// On a large machine V8 lets garbage grow to several times what lives; collecting at 1.3 times costs no time that could
// be measured and halves the memory of a large site.
setFlagsFromString('--heap-growing-percent=30');

/** Exit codes: 0 done, 1 failed, 2 wrong use. */
const program = new Command('docbuild')
  .description('Documentation from git: every version, every language, one static site')
  .version(readPackageVersion(), '-V, --version')
  .showHelpAfterError('(docbuild --help shows the commands)')
  .configureHelp({ showGlobalOptions: true });
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
const commands = program.commands.flatMap((command) => [command, ...command.commands]);
for (const command of [program, ...commands]) {
  command.exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough (`docbuild … | head`) is no failure.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Error: Cannot write to standard output: ${error.message}\n`);
  process.exit(1);
});
await program.parseAsync();
