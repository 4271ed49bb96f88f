import { parseNetwork, widenNetwork } from '../../lib/ip-address.ts';

/** Prefix lengths of the networks that many sources may share. */
const WIDER = { 4: [16], 6: [48, 32] } as const;

/**
 * Gives a source and the networks that it lies in, the narrowest first: `2001:db8:1:2::/64`, `2001:db8:1::/48`,
 * `2001:db8::/32`; `203.0.113.7`, `203.0.0.0/16`. What is no address stands alone.
 */
export function widenSource(source: string): readonly string[] {
  const network = parseNetwork(source);
  if (!network) return [source];
  return [source, ...WIDER[network.version].map((bits) => widenNetwork(network, bits).text)];
}
