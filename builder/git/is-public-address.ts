import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Tells whether an IP address is one of the public internet: not of this machine, a private network, a link (where clouds
 * keep their metadata), a test range, or one that stands for an address of another kind.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js takes `1.2.3` for an address, too.
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'unicast';
}
