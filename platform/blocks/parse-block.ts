import { DataError } from '../../data/data-error.ts';
import type { Block } from '../../data/records/block.ts';
import { parseNetwork } from '../../lib/ip-address.ts';
import { phrase } from '../../lib/phrase.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';

/** A block as the operator requests it. */
export interface BlockInput {
  readonly kind: Block['kind'];
  /** An address, a range in CIDR form, or a host. */
  readonly target: string;
  readonly reason?: string | undefined;
  /** When it ends, ISO 8601; without it, never. */
  readonly until?: string | undefined;
}

const MAX_REASON = 500;
/** Larger networks are a mistake, not an abuser. */
const WIDEST = { 4: 8, 6: 16 } as const;

/** Checks a block. Throws DataError `invalid`. */
export function parseBlock({ kind, target, reason = '', until = '' }: BlockInput, now: Date): Omit<Block, 'operator'> {
  if (reason.length > MAX_REASON)
    throw new DataError('invalid', phrase`The reason has more than ${MAX_REASON} characters`);
  const endMs = until === '' ? Number.POSITIVE_INFINITY : Date.parse(until);
  if (Number.isNaN(endMs))
    throw new DataError('invalid', phrase`"${until.slice(0, 50)}" is not a time such as 2026-05-04T12:00:00Z`);
  if (endMs <= now.getTime()) throw new DataError('invalid', phrase`The block would have ended already, at ${until}`);
  return {
    kind,
    target: parseTarget(kind, target),
    by: 'operator',
    reason: reason.trim(),
    createdAt: now.toISOString(),
    until: until === '' ? '' : new Date(endMs).toISOString(),
  };
}

/** Returns the canonical form of a block's target. Throws DataError `invalid`. */
export function parseTarget(kind: Block['kind'], target: string): string {
  const shown = `"${target.slice(0, 100)}"`;
  if (kind === 'host') {
    const host = parseHost(target);
    if (host === undefined) throw new DataError('invalid', phrase`${shown} is not a host such as example.com`);
    return host;
  }
  const network = parseNetwork(target.trim());
  if (!network)
    throw new DataError('invalid', phrase`${shown} is not an address or range such as 203.0.113.7 or 2001:db8::/32`);
  if (network.bits < WIDEST[network.version]) {
    throw new DataError('invalid', phrase`${shown} is too large a range; the largest has /${WIDEST[network.version]}`);
  }
  return network.text;
}

/** Longest name of a host. */
const MAX_HOST_LENGTH = 253;

/**
 * Returns a host as browsers write it (lower case, punycode, addresses in their usual form) without a final dot; undefined
 * for anything that is not a host.
 */
export function parseHost(text: string): string | undefined {
  const given = text.trim();
  if (given.length === 0 || given.length > MAX_HOST_LENGTH || /[\s/?#@\\%]/.test(given)) return undefined;
  const bare = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  if (!URL.canParse(`http://${bare}/`)) return undefined;
  const { hostname, port } = new URL(`http://${bare}/`);
  const host = trimCharacters(hostname, '.');
  return port !== '' || host === '' ? undefined : host;
}
