import { trimCharacters } from '../../../lib/trim-characters.ts';
/** Where objects are kept, and how. */
export interface S3Address {
  /** URL of the bucket, with a final `/`. */
  readonly url: URL;
  readonly bucket: string;
  /** Common beginning of all keys: '' or a path that ends with `/`. */
  readonly prefix: string;
  readonly region: string;
  /** Most bytes of objects that are kept on this machine. */
  readonly maxCacheBytes: number;
}

/** Names of buckets, as S3 allows them. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:(?!\.{1,2}\/)[\w.-]+\/){0,10}$/;
const REGION = /^[a-z0-9-]{1,50}$/;
const PARAMETERS: ReadonlySet<string> = new Set(['endpoint', 'region', 'style', 'cache_mb']);
const CACHE_MB = 5_000;
const MIN_CACHE_MB = 50;
const MAX_CACHE_MB = 10_000_000;

/**
 * Parses `s3://bucket/prefix?endpoint=https://s3.example.org&region=…`. `style=host` puts the name of the bucket before that of
 * the endpoint; otherwise it is the first part of the path. Throws an error that says what is wrong.
 */
export function parseS3Address(text: string): S3Address {
  const match = /^s3:\/\/([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text);
  const [, bucket = '', path = '', query = ''] = match ?? [];
  if (bucket.includes('@')) {
    throw new Error('must hold no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  }
  if (!BUCKET.test(bucket)) throw new Error('must name a bucket, such as s3://docs?endpoint=https://s3.example.org');
  const folder = trimCharacters(path, '/', { both: true });
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!PREFIX.test(prefix)) throw new Error('must have a prefix of letters, digits, ".", "_", "-" and "/"');
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw new Error(`has an unknown parameter "${unknown.slice(0, 50)}"`);
  const region = parameters.get('region') ?? 'us-east-1';
  if (!REGION.test(region)) throw new Error('must have a region such as eu-central-1');
  const endpoint = parameters.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (!isEndpoint(endpoint)) throw new Error('must have an endpoint such as https://s3.example.org');
  const style = parameters.get('style') ?? 'path';
  if (style !== 'path' && style !== 'host') throw new Error('must have the style "path" or "host"');
  const cacheMb = Number(parameters.get('cache_mb') ?? CACHE_MB);
  if (!Number.isInteger(cacheMb) || cacheMb < MIN_CACHE_MB || cacheMb > MAX_CACHE_MB) {
    throw new Error(`must have a cache_mb from ${MIN_CACHE_MB} to ${MAX_CACHE_MB}`);
  }
  const url = new URL(endpoint);
  if (style === 'host') url.hostname = `${bucket}.${url.hostname}`;
  else url.pathname = `/${bucket}/`;
  return { url, bucket, prefix, region, maxCacheBytes: cacheMb * 1_000_000 };
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && search + hash + username + password === '';
}
