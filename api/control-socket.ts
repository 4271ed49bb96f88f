import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DataError, type DataErrorCode } from '../data/data-error.ts';
import type { Actor } from '../platform/audit/audit.ts';
import type { OperationsFor } from '../platform/operations/audited-operations.ts';
import type { Operations } from '../platform/operations/operations.ts';
import { readBody } from './http/read-body.ts';

/** Longest path that a Unix socket may have (`sun_path`), less its final NUL. */
const MAX_LENGTH = 107;

/** Returns the path of the socket through which commands reach the process that owns `baseDir`. */
export function socketPath(baseDir: string): string {
  const path = join(baseDir, 'docbuild.sock');
  if (Buffer.byteLength(path) <= MAX_LENGTH) return path;
  const name = createHash('sha256').update(baseDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `docbuild-${process.getuid?.() ?? 0}-${name}.sock`);
}

/** An archive of images has up to 20 MB, which JSON may double. */
const MAX_BYTES = 50_000_000;

/**
 * Serves the operations on a Unix socket that only this user may open: POST /<operation> with JSON `{user, input}`, where
 * `user` is whoever runs the command; the answer is `{result}` or `{error: {code, message}}`.
 */
export async function serveControl(path: string, operationsFor: OperationsFor): Promise<Server> {
  const server = createServer(async (request, response) => {
    const answer = await run(request.url?.slice(1) ?? '', () => readBody(request, MAX_BYTES), operationsFor);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  // Builds that are waited for may take long.
  server.requestTimeout = 0;
  // Whoever owns the store owns the socket: what is left of a killed process is in the way.
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}

async function run(name: string, readInput: () => Promise<Buffer>, operationsFor: OperationsFor): Promise<object> {
  try {
    const text = (await readInput()).toString('utf8');
    const { user, input } = JSON.parse(text) as { readonly user: unknown; readonly input: unknown };
    const operations = operationsFor(commandActor(String(user)));
    if (!Object.hasOwn(operations, name))
      throw new DataError('invalid', `There is no operation "${name.slice(0, 50)}"`);
    const operation = operations[name as keyof Operations] as (input: unknown) => Promise<unknown>;
    return { result: (await operation(input)) ?? null };
  } catch (error) {
    const code = error instanceof DataError ? error.code : 'internal';
    return { error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

/** Returns whoever runs a command, by default this process, as the audit log names them. */
export function commandActor(user = systemUser()): Actor {
  return { kind: 'command', name: user.slice(0, 100), uid: '', from: '', isOperator: true };
}

/** Returns the name of the system's user who runs this process, or the number of one without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

const NAMES = {
  createProject: true,
  getProject: true,
  listProjects: true,
  updateProject: true,
  removeProject: true,
  inspectRepository: true,
  exportProject: true,
  importProject: true,
  build: true,
  listDeliveries: true,
  listNotifications: true,
  sendTestNotification: true,
  importImages: true,
  replayDelivery: true,
  listBuilds: true,
  cancelBuild: true,
  waitForBuild: true,
  readLog: true,
  readProblems: true,
  createUser: true,
  listUsers: true,
  disableUser: true,
  verifyUser: true,
  changePassword: true,
  createKey: true,
  grantPlan: true,
  reversePayment: true,
  previewBooking: true,
  getPrices: true,
  getPlan: true,
  checkLedger: true,
  listBlocks: true,
  addBlock: true,
  removeBlock: true,
  listShortUrls: true,
  disableShortUrl: true,
  enableShortUrl: true,
  countShortUrls: true,
  findShortUrl: true,
  disableShortUrls: true,
  listAudit: true,
} as const satisfies Record<keyof Operations, true>;

/** Returns the operations of the process that listens on a socket; undefined if there is none. */
export async function connectControl(path: string): Promise<Operations | undefined> {
  try {
    await call(path, '', {});
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new DataError('busy', `Cannot use "${path}": it belongs to another user; run the command as that user`);
    }
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTSOCK') return undefined;
    if (!(error instanceof DataError)) throw error;
  }
  const user = commandActor().name;
  const entries = Object.keys(NAMES).map((name) => [name, (input: object) => call(path, name, { user, input })]);
  return Object.fromEntries(entries) as unknown as Operations;
}

function call(socketPath: string, name: string, body: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: `/${name}`, method: 'POST' }, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
        const answer = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
          result?: unknown;
          error?: { code: DataErrorCode; message: string };
        };
        if (answer.error) reject(new DataError(answer.error.code, answer.error.message));
        else resolve(answer.result);
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      const hasStopped = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(hasStopped ? new DataError('busy', 'The server stopped before it answered; try again') : error);
    });
    sent.end(JSON.stringify(body));
  });
}
