import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { suggestUrl } from '../../lib/repository-address.ts';

/** Has a scheme, or is what ssh takes: no path of this machine, whether it can be used or not. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/@\s]+@[^/:\s]+:)/i;

/**
 * Returns what an operator wrote as a project's `url`: addresses as they are, paths as absolute ones. A text that names no
 * folder but looks like an address without its scheme stays, so that it is refused with a hint.
 */
export function locateRepository(text: string): string {
  // Such as `https//me:password@host`: as a path it would be shown.
  const isMistyped = suggestUrl(text) !== undefined || /^[^/].*:.*@/s.test(text);
  const isForgotten = isMistyped && !existsSync(text);
  return ADDRESS.test(text) || isForgotten ? text : resolve(text);
}
