import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { RunningServer } from '../api/server.ts';
import type { LoadedConfig } from '../data/config/read-config.ts';
import { addCommonOptions, type CommonFlags, withConfig } from './run-command.ts';

interface ApiFlags extends CommonFlags {
  readonly host?: string;
  readonly port?: string;
}

/** Adds `docbuild api`, which serves everything. */
export function addApiCommand(program: Command): void {
  addCommonOptions(program.command('api'))
    .description('serve the API and all sites')
    .option('--host <host>', 'address to listen at (default: the configuration’s)')
    .option('--port <port>', 'port to listen at (default: the configuration’s)')
    .action((flags: ApiFlags) =>
      withConfig(flags, async (loaded) => {
        const [{ default: pino }, { startServer }] = await Promise.all([import('pino'), import('../api/server.ts')]);
        const log = pino({ level: process.env.DOCBUILD_LOG ?? 'info', base: null }, pino.destination(2));
        const server = await startServer(withFlags(loaded, flags), log);
        process.stdout.write(`docbuild serves ${server.origin}\n`);
        if (loaded.file === undefined) await createFirstProject(server);
        await new Promise<void>((resolve) => {
          let isStopping = false;
          for (const signal of ['SIGTERM', 'SIGINT'] as const) {
            process.on(signal, () => {
              if (isStopping) process.exit(1);
              isStopping = true;
              log.info({ signal }, 'stopping');
              resolve();
            });
          }
        });
        await server.close();
      }),
    );
}

function withFlags(loaded: LoadedConfig, { host, port }: ApiFlags): LoadedConfig {
  const api = {
    ...loaded.config.api,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
  };
  return { ...loaded, config: { ...loaded.config, api } };
}

/** On embedded defaults, the first start shows something: this product's own documentation. */
async function createFirstProject({ operations, origin, siteUrl }: RunningServer): Promise<void> {
  const name = 'docbuild';
  const { packageFile } = await import('../builder/index.ts');
  const source = fileURLToPath(packageFile('./'));
  const [any] = await operations.listProjects({});
  if (!any && existsSync(join(source, 'docs'))) {
    const project = await operations.createProject({ name, settings: { url: source } });
    const build = await operations.waitForBuild({ id: (await operations.build({ name, all: true })).id });
    if (build.status !== 'passing') process.stdout.write(`The first build is ${build.status}: ${build.reason}\n`);
    process.stdout.write(
      [
        `Site     ${siteUrl(project)}`,
        `Badge    ${origin}/docbuild/badge/${name}`,
        `Project  ${origin}/docbuild/projects/${name}\n`,
      ].join('\n'),
    );
  }
}
