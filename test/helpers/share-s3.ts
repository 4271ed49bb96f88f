import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from './serial-test.ts';
import { testIf } from './test-if.ts';

/** Where a real S3 server answers. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const { S3_ENDPOINT, S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = process.env;
const starter = fileURLToPath(new URL('../../../../shared/tools/start-s3', import.meta.url));

/** Declares tests that need a real S3 server: one that `S3_ENDPOINT` names, or the one that `../shared/tools/start-s3` starts. */
export const s3Test = testIf(
  S3_ENDPOINT !== undefined || existsSync(starter),
  'needs an S3 server: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY, or provide "../shared/tools/start-s3"',
);

let started: { readonly folder: string; readonly server: Promise<S3Server> } | undefined;

/** Returns the server for the tests of a process; it is started when the first of them asks for it, and stops after them. */
export async function shareS3(): Promise<S3Server> {
  if (S3_ENDPOINT !== undefined) {
    return { endpoint: S3_ENDPOINT, accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY };
  }
  started ??= start();
  return started.server;
}

function start(): NonNullable<typeof started> {
  const folder = join(mkdtempSync(join(tmpdir(), 'docbuild-s3-')), 'server');
  // It takes three ports that follow each other, below those that the system gives out.
  const port = 20_000 + (process.pid % 3_000) * 4;
  const server = promisify(execFile)(starter, [folder, String(port)]).then(({ stdout }) => {
    const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
    return {
      endpoint: read('S3_ENDPOINT'),
      accessKeyId: read('S3_ACCESS_KEY'),
      secretAccessKey: read('S3_SECRET_KEY'),
    };
  });
  return { folder, server };
}

test.after.always(async () => {
  if (!started) return;
  await started.server.catch(() => {});
  await promisify(execFile)(starter, [started.folder, 'stop']);
  rmSync(join(started.folder, '..'), { recursive: true, force: true });
});
