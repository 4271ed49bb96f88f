import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DataError, type DataErrorCode } from '../data/data-error.ts';
import type { Actor } from '../platform/audit/audit.ts';
import type { Operations, OperationsFor } from '../platform/operations/operations.ts';

/** A socket that is not in its place yet has this suffix: a full stop and random bytes as digits. */
const SUFFIX_BYTES = 4;
/** Longest path that a Unix socket may have (`sun_path`), less its final NUL and what may follow the path. */
const MAX_LENGTH = 107 - (1 + 2 * SUFFIX_BYTES);

/** Returns the path of the socket through which commands reach the process that owns `baseDir`. */
export function socketPath(baseDir: string): string {
  const path = join(baseDir, 'docbuild.sock');
  if (Buffer.byteLength(path) <= MAX_LENGTH) return path;
  const name = createHash('sha256').update(baseDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `docbuild-${process.getuid?.() ?? 0}-${name}.sock`);
}

/** An archive of images has up to 20 MB, which JSON may double. */
const MAX_BYTES = 50_000_000;
/** Begins all paths; changes with what is sent, so that a command and a server of different releases do not misunderstand each other. */
const PROTOCOL = '/2/';

/**
 * Serves the operations on a Unix socket that only this user may open: POST /2/<operation> with JSON `{user, input}`, where
 * `user` is whoever runs the command; the answer is `{result}` or `{error: {code, message}}`. Without an operation the answer is the protocol.
 */
export async function serveControl(path: string, operationsFor: OperationsFor): Promise<Server> {
  const server = createServer(async (request, response) => {
    const answer = await run(request.url ?? '', () => readInput(request), operationsFor);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  // Builds that are waited for may take long.
  server.requestTimeout = 0;
  // Nodes with one base_dir may start and stop at the same time: the socket takes the place of the one before when it is ready,
  // and leaves only its own. Whoever owns a store of files owns the socket: what is there is left of a killed process.
  const temporary = `${path}.${randomBytes(SUFFIX_BYTES).toString('hex')}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(temporary, resolve);
  });
  try {
    chmodSync(temporary, 0o600);
    const { ino } = statSync(temporary);
    renameSync(temporary, path);
    server.once('close', () => {
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    });
    return server;
  } catch (error) {
    // A listening socket keeps its process.
    server.close();
    throw error;
  }
}

async function readInput(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) throw new DataError('invalid', `A command sends at most ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

const OTHER_RELEASE =
  'The server and this command are of different releases; restart the server, or use its own command';

async function run(path: string, readInput: () => Promise<Buffer>, operationsFor: OperationsFor): Promise<object> {
  try {
    const text = (await readInput()).toString('utf8');
    if (!path.startsWith(PROTOCOL)) throw new DataError('busy', OTHER_RELEASE);
    const name = path.slice(PROTOCOL.length);
    if (name === '') return { result: PROTOCOL };
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

/**
 * Returns the operations of the process that listens on a socket; undefined if there is none. Throws DataError `busy` for one of
 * another user or release.
 */
export async function connectControl(path: string): Promise<Operations | undefined> {
  let answer: ControlAnswer;
  try {
    answer = await call(path, '', {});
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new DataError('busy', `Cannot use "${path}": it belongs to another user; run the command as that user`);
    }
    if (isGone(error) || code === 'ENOTSOCK') return undefined;
    throw error;
  }
  if (answer.result !== PROTOCOL) throw new DataError('busy', OTHER_RELEASE);
  const user = commandActor().name;
  const ask = async (name: string, input: object): Promise<unknown> => {
    let found: ControlAnswer;
    try {
      found = await call(path, name, { user, input });
    } catch (error) {
      throw isGone(error) ? describeGone(error) : error;
    }
    if (found.error) throw new DataError(found.error.code, found.error.message);
    return found.result;
  };
  // Which operations there are is known to the server alone: loading them takes longer than to ask it.
  return new Proxy({} as Operations, {
    // Values that promises resolve to are asked for `then`.
    get: (_, name) => (name === 'then' ? undefined : (input: object) => ask(String(name), input)),
  });
}

interface ControlAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: DataErrorCode; readonly message: string };
}

/** Nobody listens: nothing has been sent. */
const ABSENT = ['ENOENT', 'ECONNREFUSED'];

/** Returns whether a call failed because there is no server, or none any more. */
function isGone(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return [...ABSENT, 'ECONNRESET', 'EPIPE'].includes(code);
}

/** Returns whether an operation failed because the server has stopped. */
export function isServerGone(error: unknown): boolean {
  return error instanceof DataError && error.cause !== undefined && isGone(error.cause);
}

function describeGone(error: unknown): DataError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const advice = ABSENT.includes(code)
    ? 'The server has stopped; nothing was changed, try again'
    : 'The server stopped before it answered: look whether the change was made before you try again';
  return new DataError('busy', advice, { cause: error });
}

/** Rejects with what the connection reports. */
function call(socketPath: string, name: string, body: object): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: PROTOCOL + name, method: 'POST' }, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as ControlAnswer);
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}
