import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';

/** A PostgreSQL server of its own, in a temporary folder, which listens at a socket there. */
export interface Cluster {
  readonly folder: string;
  /** Returns the URL of a database. */
  url(database: string): string;
  /** Runs SQL in a database; returns the rows of a single statement. */
  query(database: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Creates an empty database, or a copy of one that nobody is connected to, and returns its name. */
  createDatabase(template?: string): Promise<string>;
  /** Stops the server at once, as a crash does, if it runs. */
  stop(): Promise<void>;
  /** Starts the server, unless it runs. */
  start(): Promise<void>;
  /** Starts the server, which must not run, as a replica, which cannot be written until `SELECT pg_promote()`. */
  startAsReplica(): Promise<void>;
}

/** The folder of PostgreSQL's programs; undefined where it is not installed. */
export const programs = findPrograms();

/** For tests: nothing that is written survives the machine, and there is little to do. */
export const TEST_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '60',
  autovacuum: 'off',
};
/** Stops the server when this process is gone, however it ended. */
const KEEPER = '"$@" & trap "" INT; cat >/dev/null; kill -QUIT $!; wait $!';

/** Starts a server with these settings; whoever stops it removes its folder. */
export async function startCluster(settings: Readonly<Record<string, string>>): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-postgres-'));
  const user = findUser();
  // PostgreSQL refuses to run as root.
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initArguments = ['--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C', '--username=docbuild'];
  execFileSync(join(programs!, 'initdb'), ['-D', data, ...initArguments], { ...user, cwd: folder, stdio: 'pipe' });
  // Before 15 there is no other one. To log what is copied takes twice as long.
  const strategy = Number(readFileSync(join(data, 'PG_VERSION'), 'utf8')) < 15 ? '' : 'STRATEGY FILE_COPY';
  let keeper: ChildProcess | undefined;
  let databases = 0;
  const url = (database: string): string => `postgres://docbuild@/${database}?host=${encodeURIComponent(folder)}`;
  const query = async (database: string, sql: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client(url(database));
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const cluster: Cluster = {
    folder,
    url,
    query,
    async createDatabase(template = 'template0') {
      const name = `test_${++databases}`;
      await query('postgres', `CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
      return name;
    },
    async start() {
      if (keeper) return;
      const all = { ...settings, listen_addresses: '', unix_socket_directories: folder };
      const server = [
        join(programs!, 'postgres'),
        '-D',
        data,
        ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ];
      keeper = spawn('sh', ['-c', KEEPER, 'sh', ...server], {
        ...user,
        cwd: folder,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      const lines = createInterface({ input: keeper.stderr! });
      for await (const line of lines) if (/ready to accept (?:read-only )?connections/.test(line)) break;
      keeper.stderr!.resume();
    },
    async startAsReplica() {
      writeFileSync(join(data, 'standby.signal'), '');
      await cluster.start();
    },
    async stop() {
      if (!keeper) return;
      const exit = once(keeper, 'exit');
      keeper.stdin!.end();
      await exit;
      keeper = undefined;
    },
  };
  await cluster.start();
  return cluster;
}

function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env.POSTGRES_BIN ?? '', ...versions.map((version) => join(root, version, 'bin'))];
  return folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')));
}

/** Returns whom the server runs as: root's tests run it as the user that Debian's package makes. */
function findUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid!() !== 0) return undefined;
  const id = (what: string): number => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
