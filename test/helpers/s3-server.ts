import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A real S3 server. */
export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const { S3_ENDPOINT, S3_ACCESS_KEY = '', S3_SECRET_KEY = '' } = process.env;
const starter = fileURLToPath(new URL('../../../../shared/tools/start-s3', import.meta.url));

/** Whether there is a server that `S3_ENDPOINT` names, or one that `../shared/tools/start-s3` can start. */
export const hasS3 = S3_ENDPOINT !== undefined || existsSync(starter);

/** Starts a server, which takes 15 s and more, unless `S3_ENDPOINT` names one that runs. Whoever started it stops it. */
export async function startS3(): Promise<S3Server & { stop(): Promise<void> }> {
  if (S3_ENDPOINT !== undefined) {
    return { endpoint: S3_ENDPOINT, accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY, stop: async () => {} };
  }
  const outside = mkdtempSync(join(tmpdir(), 'docbuild-s3-'));
  const folder = join(outside, 'server');
  // It takes three ports that follow each other, below those that the system gives out.
  const port = 20_000 + (process.pid % 3_000) * 4;
  const stop = async (): Promise<void> => {
    await promisify(execFile)(starter, [folder, 'stop']);
    rmSync(outside, { recursive: true, force: true });
  };
  try {
    const { stdout } = await promisify(execFile)(starter, [folder, String(port)]);
    const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
    const keys = { accessKeyId: read('S3_ACCESS_KEY'), secretAccessKey: read('S3_SECRET_KEY') };
    return { endpoint: read('S3_ENDPOINT'), ...keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
