import { createHmac, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { NodeState } from '../../data/nodes.ts';
import type { Config } from '../config/config-schema.ts';
import { isSecretKey } from '../config/secret-keys.ts';
import { flatten } from '../config/settings.ts';
import { parseS3Address } from '../sites/s3/s3-address.ts';

/** Keys that each node may have otherwise, with all below them: where it is, how much it does, and paths of its machine. */
const OWN_KEYS = [
  'base_dir',
  'store',
  'api.host',
  'api.port',
  'api.trusted_proxies',
  'api.drain_s',
  'metrics.port',
  'metrics.host',
  'probes',
  'builds.concurrency',
  'builds.quick',
  'builds.drain_s',
  'builds.templates',
  'builds.extensions',
  'utility.ip.db4',
  'utility.ip.db6',
];
const HASH_BYTES = 16;
const hashSlowly = promisify<string, string, number, Buffer>(scrypt);

/**
 * Returns a hash for each key whose value must be the same at all nodes. Whoever reads them learns no value, since they begin with a
 * random text, `salt`; and tries secrets one by one no faster than passwords.
 */
export async function hashSettings(config: Config, salt: string): Promise<NodeState['settings']> {
  const shared = [...flatten({ ...config, sites: nameStorage(config.sites) })].filter(([key]) => !isOwn(key));
  const hashes = shared.map(async ([key, value]) => {
    const isSecret = isSecretKey(key) && value !== '""' && value !== '{}';
    const hash = isSecret
      ? await hashSlowly(value, `${salt} ${key}`, HASH_BYTES)
      : createHmac('sha256', salt).update(`${key} ${value}`).digest().subarray(0, HASH_BYTES);
    return [key, hash.toString('base64url')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/**
 * Returns the keys that two nodes have different values of. One that only one of them knows, since it is of another release, is none
 * of them.
 */
export function listDifferences(one: NodeState['settings'], other: NodeState['settings']): readonly string[] {
  return Object.keys(one).filter((key) => Object.hasOwn(other, key) && one[key] !== other[key]);
}

function isOwn(key: string): boolean {
  return OWN_KEYS.some((own) => key === own || key.startsWith(`${own}.`));
}

/** Returns which storage it is that a key `sites` names: each node has a cache of its own, and paths of its machine. */
function nameStorage(sites: string): string {
  if (!sites.startsWith('s3:')) return 'a folder';
  const { url, prefix } = parseS3Address(sites);
  return `${url.href}${prefix}`;
}
