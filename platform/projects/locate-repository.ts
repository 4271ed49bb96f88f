import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { suggestUrl } from '../../lib/repository-address.ts';

/** Has a scheme, or is what ssh takes: no path of this machine, whether it can be used or not. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/@\s]+@[^/:\s]+:)/i;

/** As one writes a host with a port or for ssh, or a home folder that no shell has put in place: `server:repo`, `~/repo`. */
const NO_PATH = /^(?:[^/]+:|~)/;

/**
 * Returns what an operator wrote as a project's `url`: addresses as they are, paths as absolute ones. A text that names no
 * folder (`exists`) but looks like an address without its scheme stays, so that it is refused with a hint.
 */
export function locateRepository(text: string, exists: (path: string) => boolean = existsSync): string {
  // Such as `https//me:password@host`: as a path it would be shown.
  const isMistyped = NO_PATH.test(text) || suggestUrl(text) !== undefined || /^[^/][^:]*:.*@/s.test(text);
  const isForgotten = isMistyped && !exists(text);
  return ADDRESS.test(text) || isForgotten ? text : resolve(text);
}
