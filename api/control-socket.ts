import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { DataError } from '../data/data-error.ts';
import type { Operations } from './operations.ts';
import { readBody } from './read-body.ts';

const MAX_BYTES = 1_000_000;

/**
 * Serves the operations on a Unix socket that only this user may open: POST /<operation> with JSON, the answer is
 * `{result}` or `{error: {code, message}}`.
 */
export async function serveControl(path: string, operations: Operations): Promise<Server> {
  const server = createServer(async (request, response) => {
    const answer = await run(request.url?.slice(1) ?? '', () => readBody(request, MAX_BYTES), operations);
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

async function run(name: string, readInput: () => Promise<Buffer>, operations: Operations): Promise<object> {
  try {
    const text = (await readInput()).toString('utf8');
    if (!Object.hasOwn(operations, name))
      throw new DataError('invalid', `There is no operation "${name.slice(0, 50)}"`);
    const operation = operations[name as keyof Operations] as (input: unknown) => Promise<unknown>;
    return { result: (await operation(JSON.parse(text))) ?? null };
  } catch (error) {
    const code = error instanceof DataError ? error.code : 'internal';
    return { error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}
