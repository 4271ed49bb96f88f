import { memoize } from '../../lib/bounded-map.ts';

/** A content coding that is offered. */
export type Coding = 'br' | 'gzip' | 'identity';

/** In the order in which we like them. */
const OFFERED: readonly Coding[] = ['br', 'gzip', 'identity'];
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
const MAX_LENGTH = 512;
const MAX_KNOWN = 256;
/** Identity is acceptable where nothing is said of it, after all else. */
const UNSAID = 0.0001;

const IDENTITY: readonly Coding[] = ['identity'];
/** Browsers send a handful of different fields. */
const parseKnown = memoize(parse, MAX_KNOWN);

/**
 * Returns the codings that an `Accept-Encoding` field (RFC 9110) accepts, the best first. Members with a broken weight are
 * ignored, as is a field above 512 characters. Without the field only identity: a client that wants more says so.
 */
export function parseAcceptEncoding(field: string | undefined): readonly Coding[] {
  if (field === undefined || field.length > MAX_LENGTH) return IDENTITY;
  return parseKnown(field);
}

function parse(field: string): readonly Coding[] {
  const weights = new Map<string, number>();
  for (const member of field.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (!WEIGHT.test(weight)) continue;
    const coding = name === 'x-gzip' ? 'gzip' : name;
    weights.set(coding, Math.max(Number(weight), weights.get(coding) ?? 0));
  }
  const weigh = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? UNSAID : 0);
  return OFFERED.filter((coding) => weigh(coding) > 0).sort((a, b) => weigh(b) - weigh(a));
}
