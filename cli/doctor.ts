import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import { DataError } from '../data/data-error.ts';
import { describeSystemError, hasCode } from '../lib/system-error.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { Finding } from '../platform/diagnosis/finding.ts';
import type { Operations } from '../service/open-operations.ts';
import { createPaint } from './color.ts';
import { addCommonOptions, type CommonFlags, listAll } from './run-command.ts';

/** Repositories that are asked at once. */
const AT_ONCE = 4;
/** How long the server may take to answer. */
const ANSWER_MS = 5_000;
/** The oldest release of Node.js that still gets fixes. */
const SUPPORTED_NODE = 22;

/** Adds `docbuild doctor`. */
export function addDoctorCommand(program: Command): void {
  addCommonOptions(program.command('doctor'))
    .description('check what a server needs: configuration, ports, disk, clock, proxies, repositories')
    .action(runDoctor);
}

async function runDoctor(flags: CommonFlags): Promise<void> {
  const findings: Finding[] = [];
  const tell = (finding: Finding): void => {
    findings.push(finding);
    if (!flags.json) process.stdout.write(format(finding));
  };
  await examine(flags, tell);
  const count = (status: Finding['status']): number => findings.filter((one) => one.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (flags.json) process.stdout.write(`${JSON.stringify({ errors, warnings, findings })}\n`);
  else process.stdout.write(`${describe(errors, 'error')}, ${describe(warnings, 'warning')}\n`);
  if (errors > 0) process.exitCode = 1;
}

function describe(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const COLORS = { ok: 'green', warning: 'yellow', error: 'red' } as const;

function format({ check, status, message, advice }: Finding): string {
  const lines = [`${createPaint(process.stdout)(COLORS[status], status.padEnd(8))} ${check.padEnd(14)} ${message}`];
  if (advice !== undefined) lines.push(`${' '.repeat(24)}→ ${advice}`);
  return `${lines.join('\n')}\n`;
}

/** Looks at everything, and tells each finding when it is there. */
async function examine(flags: CommonFlags, tell: (finding: Finding) => void): Promise<void> {
  const loaded = await readConfiguration(flags, tell);
  if (!loaded) return;
  tell(lookAtNode());
  if (loaded.config.store === '' && !existsSync(loaded.baseDir)) return await examineBefore(loaded, tell);
  const { openOperations } = await import('../service/open-operations.ts');
  try {
    const { operations, isServer, close } = await openOperations(loaded, (message) =>
      process.stderr.write(`${message}\n`),
    );
    try {
      tell(
        isServer
          ? {
              check: 'server',
              status: 'ok',
              message: `A server runs on ${loaded.baseDir}; it has made the checks below`,
            }
          : {
              check: 'server',
              status: 'ok',
              message: `No server runs on ${loaded.baseDir}; start it to have the proxies in front of it checked`,
            },
      );
      for (const finding of await lookAtPorts(loaded, isServer)) tell(finding);
      for (const finding of await operations.diagnose({})) tell(finding);
      await lookAtRepositories(operations, tell);
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof DataError) && !hasCode(error, 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'EROFS', 'ENOSPC'))
      throw error;
    const advice =
      loaded.config.store === ''
        ? `let this user read and write ${loaded.baseDir}, or run the command as the user of the server`
        : 'check "store": host, port, name and password, and whether this machine may connect';
    tell({ check: 'storage', status: 'error', message: (error as Error).message, advice });
  }
}

/** Looks at what can be told before the first start, and leaves no folder behind. */
async function examineBefore(loaded: LoadedConfig, tell: (finding: Finding) => void): Promise<void> {
  const { findExisting, lookAtDisks } = await import('../platform/diagnosis/diagnosis.ts');
  for (const finding of await lookAtPorts(loaded, false)) tell(finding);
  const check = 'storage';
  const above = findExisting(loaded.baseDir);
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    tell({ check, status: 'ok', message: `${loaded.baseDir} does not exist yet; the first start makes it` });
  } catch (error) {
    const message = `${loaded.baseDir} cannot be made: ${describeSystemError(error)}`;
    tell({ check, status: 'error', message, advice: `let this user write to ${above}, or set "base_dir"` });
  }
  for (const finding of await lookAtDisks([loaded.baseDir])) tell(finding);
}

async function readConfiguration(
  flags: CommonFlags,
  tell: (finding: Finding) => void,
): Promise<LoadedConfig | undefined> {
  const check = 'configuration';
  const { readConfig } = await import('../platform/config/read-config.ts');
  try {
    const loaded = readConfig(flags.config, process.cwd());
    const message = loaded.file ?? 'No configuration file: all values are defaults';
    tell({ check, status: 'ok', message, ...(loaded.file === undefined && { advice: '"docbuild init" writes one' }) });
    return loaded;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    const advice = 'the page "Configuration" of the documentation has all keys and values';
    tell({ check, status: 'error', message: error.message, advice });
    return undefined;
  }
}

function lookAtNode(): Finding {
  const check = 'server';
  const message = `Node.js ${process.version}`;
  if (Number(process.versions.node.split('.')[0]) >= SUPPORTED_NODE) return { check, status: 'ok', message };
  const advice = `install a release with long-term support, ${SUPPORTED_NODE} or newer`;
  return { check, status: 'warning', message: `${message} no longer gets fixes`, advice };
}

/** Looks whether a server could listen, or whether the one that runs answers where the configuration says. */
async function lookAtPorts({ config }: LoadedConfig, isServer: boolean): Promise<readonly Finding[]> {
  const { api, metrics, probes } = config;
  if (isServer) return [await lookAtAnswer(api.host, api.port)];
  const places = [
    ['api', api.host, api.port],
    ['metrics', metrics.host, metrics.port],
    ['probes', probes.host, probes.port],
  ] as const;
  // 0 is any that is free.
  return Promise.all(places.flatMap(([key, host, port]) => (port ? [tryPort(key, host, port)] : [])));
}

async function lookAtAnswer(host: string, port: number): Promise<Finding> {
  const check = 'ports';
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${port}/livez`;
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return { check, status: 'ok', message: `${url} answers with ${status}` };
  } catch {
    const message = `${url} does not answer, although a server runs: it may only build, or have been started with --port`;
    return { check, status: 'warning', message, advice: 'set "api.port" and "api.host" to what the server uses' };
  }
}

async function tryPort(key: string, host: string, port: number): Promise<Finding> {
  const check = 'ports';
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return { check, status: 'ok', message: `${key}: port ${port} of ${host} is free` };
  } catch (error) {
    const message = `${key}: cannot listen on port ${port} of ${host}: ${describeSystemError(error)}`;
    return { check, status: 'error', message, advice: advisePort(key, port, error) };
  } finally {
    server.close();
  }
}

function advisePort(key: string, port: number, error: unknown): string {
  if (hasCode(error, 'EADDRINUSE'))
    return `end the program that uses it ("ss -ltnp sport = :${port}" shows it), or set "${key}.port"`;
  if (hasCode(error, 'EACCES')) return `set "${key}.port" to one from 1024 on, behind a proxy that has ${port}`;
  return `set "${key}.host" to an address of this machine`;
}

/** Looks at the repositories of all projects, some at once. */
async function lookAtRepositories(operations: Operations, tell: (finding: Finding) => void): Promise<void> {
  const projects = await listAll((last: { readonly name: string } | undefined) =>
    operations.listProjects({ after: last?.name }),
  );
  const names = projects.map(({ name }) => name);
  if (names.length === 0) tell({ check: 'repositories', status: 'ok', message: 'There are no projects' });
  const work = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      tell(await operations.diagnoseRepository({ name }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
