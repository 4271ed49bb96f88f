import { DataError } from '../../data/data-error.ts';
import type { Block } from '../../data/records/block.ts';
import { parseNetwork } from '../../lib/ip-address.ts';
import { parseHost } from './parse-host.ts';

/** A block as the operator asks for it. */
export interface BlockInput {
  readonly kind: Block['kind'];
  /** An address, a range in CIDR form, or a host. */
  readonly target: string;
  readonly reason?: string;
  /** When it ends, ISO 8601; without it, never. */
  readonly until?: string;
}

const MAX_REASON = 500;
/** Larger networks are a mistake, not an abuser. */
const WIDEST = { 4: 8, 6: 16 } as const;

/** Checks a block. Throws DataError `invalid`. */
export function parseBlock({ kind, target, reason = '', until = '' }: BlockInput, now: Date): Block {
  if (reason.length > MAX_REASON) throw new DataError('invalid', `The reason has more than ${MAX_REASON} characters`);
  const endMs = until === '' ? Number.POSITIVE_INFINITY : Date.parse(until);
  if (Number.isNaN(endMs))
    throw new DataError('invalid', `"${until.slice(0, 50)}" is no time such as 2026-05-04T12:00:00Z`);
  if (endMs <= now.getTime()) throw new DataError('invalid', `The block would have ended already, at ${until}`);
  return {
    kind,
    target: parseTarget(kind, target),
    by: 'operator',
    reason: reason.trim(),
    createdAt: now.toISOString(),
    until: until === '' ? '' : new Date(endMs).toISOString(),
  };
}

/** Gives the canonical form of what is blocked. Throws DataError `invalid`. */
export function parseTarget(kind: Block['kind'], target: string): string {
  const shown = `"${target.slice(0, 100)}"`;
  if (kind === 'host') {
    const host = parseHost(target);
    if (host === undefined) throw new DataError('invalid', `${shown} is no host such as example.com`);
    return host;
  }
  const network = parseNetwork(target.trim());
  if (!network) throw new DataError('invalid', `${shown} is no address or range such as 203.0.113.7 or 2001:db8::/32`);
  if (network.bits < WIDEST[network.version]) {
    throw new DataError('invalid', `${shown} is too large a range; the largest has /${WIDEST[network.version]}`);
  }
  return network.text;
}
