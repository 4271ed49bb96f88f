import { request } from 'node:http';
import { DataError, type DataErrorCode } from '../../data/data-error.ts';
import type { Operations } from '../operations.ts';

const NAMES = {
  createProject: true,
  getProject: true,
  listProjects: true,
  updateProject: true,
  removeProject: true,
  exportProject: true,
  importProject: true,
  build: true,
  listDeliveries: true,
  replayDelivery: true,
  cancelBuild: true,
  waitForBuild: true,
  readLog: true,
  createUser: true,
  listUsers: true,
  disableUser: true,
  verifyUser: true,
  changePassword: true,
  createKey: true,
  grantPlan: true,
  getPlan: true,
  checkLedger: true,
  listBlocks: true,
  addBlock: true,
  removeBlock: true,
  listShortUrls: true,
  disableShortUrl: true,
  enableShortUrl: true,
} as const satisfies Record<keyof Operations, true>;

/** Gives the operations of the process that listens on a socket; undefined when nobody does. */
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
  const entries = Object.keys(NAMES).map((name) => [name, (input: object) => call(path, name, input)]);
  return Object.fromEntries(entries) as unknown as Operations;
}

function call(socketPath: string, name: string, input: object): Promise<unknown> {
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
    sent.end(JSON.stringify(input));
  });
}
