import { readFileSync, statSync } from 'node:fs';
import { DataError } from '../../../data/data-error.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Returns the credentials that are valid now; asked for each request. */
export type FindCredentials = () => S3Credentials;

type Environment = Readonly<Record<string, string | undefined>>;

/** How often a file is looked at, ms. */
const LOOK_MS = 5_000;
const MAX_FILE_BYTES = 1_000_000;

/**
 * Returns what finds credentials: those in the environment, or those of `AWS_PROFILE` (`default`) in the file that
 * `AWS_SHARED_CREDENTIALS_FILE` names, which is read again when it changes. Throws DataError `invalid` where there are none.
 */
export function openCredentials(environment: Environment, nowMs = () => performance.now()): FindCredentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (accessKeyId && secretAccessKey) {
    const found = { accessKeyId, secretAccessKey, sessionToken: environment['AWS_SESSION_TOKEN'] };
    return () => found;
  }
  const path = environment['AWS_SHARED_CREDENTIALS_FILE'];
  if (!path) {
    throw new DataError(
      'invalid',
      'Cannot keep sites in S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or AWS_SHARED_CREDENTIALS_FILE to the path of a file with credentials',
    );
  }
  const profile = environment['AWS_PROFILE'] || 'default';
  let known = readFile(path, profile);
  let lookedMs = nowMs();
  return () => {
    if (nowMs() - lookedMs < LOOK_MS) return known.credentials;
    lookedMs = nowMs();
    try {
      if (versionOf(path) !== known.version) known = readFile(path, profile);
    } catch {
      // Whoever writes it may be at it; what is known holds until S3 refuses it.
    }
    return known.credentials;
  };
}

function versionOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function readFile(path: string, profile: string): { readonly version: string; readonly credentials: S3Credentials } {
  const fail = (why: string): never => {
    throw new DataError('invalid', `Cannot keep sites in S3: the file "${path}" of AWS_SHARED_CREDENTIALS_FILE ${why}`);
  };
  let text = '';
  let version = '';
  try {
    version = versionOf(path);
    if (statSync(path).size > MAX_FILE_BYTES) fail(`has more than ${MAX_FILE_BYTES} bytes`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof DataError) throw error;
    fail(`cannot be read: ${(error as Error).message}`);
  }
  const values = readProfile(text, profile);
  const accessKeyId = values.get('aws_access_key_id') ?? '';
  const secretAccessKey = values.get('aws_secret_access_key') ?? '';
  if (accessKeyId === '' || secretAccessKey === '') {
    fail(`has no aws_access_key_id and aws_secret_access_key in its profile [${profile}]`);
  }
  return { version, credentials: { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token') } };
}

/** Reads the keys of a section: `key = value` below `[name]`. */
function readProfile(text: string, profile: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    section =
      /^\s*\[([^\]]+)\]/
        .exec(line)?.[1]
        ?.trim()
        .replace(/^profile\s+/, '') ?? section;
    const [, key, value] = /^([a-z_]+)\s*=\s*(.*)/is.exec(line.trim()) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key.toLowerCase(), value);
  }
  return values;
}
