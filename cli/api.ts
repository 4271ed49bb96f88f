import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { Closing, Role, RunningServer } from '../service/server.ts';
import { addCommonOptions, type CommonFlags, parsePort, withConfig } from './run-command.ts';
import type { LogFormat } from './server-log.ts';

interface ApiFlags extends CommonFlags {
  readonly host?: string;
  readonly port?: number;
  readonly probesPort?: number;
  readonly role: Role;
  readonly log?: LogFormat;
  readonly mixedConfig?: true;
}

/** A server that is told to stop ends after its drain time and this one, ms, whatever does not answer it: requests have 8 s of it. */
const STOP_MS = 10_000;

/** Adds `docbuild api`, which serves everything. */
export function addApiCommand(program: Command): void {
  addCommonOptions(program.command('api'))
    .description('serve the API and all sites')
    .option('--host <host>', 'address to listen on (default: from the configuration)')
    .option('--port <port>', 'port to listen on, 0 = any free port (default: from the configuration)', parsePort)
    .option('--probes-port <port>', 'port of /livez and /readyz alone (default: from the configuration)', parsePort)
    .addOption(
      new Option('--role <role>', 'what this process does, of several on one database')
        .choices(['all', 'web', 'build'] satisfies Role[])
        .default('all'),
    )
    .option('--mixed-config', 'start although other nodes have another configuration, while they are replaced')
    .addOption(
      new Option('--log <format>', 'lines of the log (default: text on a terminal, otherwise json)').choices([
        'text',
        'json',
      ] satisfies LogFormat[]),
    )
    .action((flags: ApiFlags) =>
      withConfig(flags, async (loaded) => {
        const [{ createServerLog }, { startServer }, { readConfig }] = await Promise.all([
          import('./server-log.ts'),
          import('../service/server.ts'),
          import('../platform/config/read-config.ts'),
        ]);
        const format = flags.log ?? (flags.json ? 'json' : undefined);
        const log = await createServerLog({ format, level: process.env.DOCBUILD_LOG ?? 'info' });
        // A line of the log like any other, whoever reads it: a stack trace of many lines is none.
        for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
          process.on(event, (error: unknown) => {
            log.fatal({ err: error, code: 'internal' }, 'The server ends');
            process.exit(1);
          });
        }
        // From the first moment on: who starts the server may stop it before it has said that it serves.
        const stopping = new AbortController();
        let server: RunningServer | undefined;
        let closing: Closing = { drainsBuilds: false };
        for (const signal of ['SIGTERM', 'SIGINT'] as const) {
          process.on(signal, () => {
            if (stopping.signal.aborted) process.exit(1);
            // Whoever presses Ctrl-C waits for no build.
            closing = { drainsBuilds: signal === 'SIGTERM' };
            const limitMs = (server?.drainMs(closing) ?? 0) + STOP_MS;
            log.info({ signal, limitMs }, 'stopping');
            setTimeout(endAtOnce, limitMs, log, limitMs).unref();
            stopping.abort();
          });
        }
        // A file without any key is one whose writing failed: it would take effect as all defaults.
        const readAgain = () => readConfig(loaded.file ?? flags.config, process.cwd(), { mayBeEmpty: false });
        const hangUp = new Promise<void>((resolve) => {
          process.on('SIGHUP', () => {
            if (isTerminalGone()) resolve();
            else server?.reload(() => withFlags(readAgain(), flags));
          });
        });
        try {
          server = await startServer(withFlags(loaded, flags), log, {
            role: flags.role,
            signal: stopping.signal,
            isMixed: flags.mixedConfig === true,
          });
        } catch (error) {
          if (error === stopping.signal.reason) return;
          throw error;
        }
        process.stdout.write(flags.role === 'build' ? 'docbuild builds\n' : `docbuild serves ${server.origin}\n`);
        // The log has them, too; here they are what an operator reads last.
        for (const warning of server.warnings) process.stdout.write(`Warning: ${warning}\n`);
        if (loaded.file === undefined) await createFirstProject(server);
        if (!stopping.signal.aborted) await Promise.race([once(stopping.signal, 'abort'), hangUp]);
        await server.close(closing);
      }),
    );
}

/** Ends the process although something holds it up; whatever it was doing is taken up as after a crash. */
function endAtOnce(log: Pick<Logger, 'error'>, limitMs: number): void {
  log.error(
    `The server did not stop within ${limitMs / 1_000} s and ends now; builds that it ran begin again elsewhere`,
  );
  process.exit(1);
}

/** SIGHUP says that the configuration changed, but also that the terminal which the server was started in was closed. */
function isTerminalGone(): boolean {
  if (!process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

function withFlags(loaded: LoadedConfig, { host, port, probesPort }: ApiFlags): LoadedConfig {
  const api = {
    ...loaded.config.api,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  };
  const probes = { ...loaded.config.probes, ...(probesPort !== undefined && { port: probesPort }) };
  return { ...loaded, config: { ...loaded.config, api, probes } };
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
        `Project  ${origin}/docbuild/projects/${name}`,
        `Console  ${origin}/control/\n`,
      ].join('\n'),
    );
  }
}
