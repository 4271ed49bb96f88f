import type { Operations } from '../operations.ts';
import type { Platform } from '../platform.ts';
import type { ServiceHosts } from '../short-urls/service-hosts.ts';
import type { Once } from './once.ts';
import type { OneTimeNotes } from './one-time-notes.ts';

/** What the console works with. */
export interface ConsoleContext extends Platform {
  readonly operations: Operations;
  readonly hosts: ServiceHosts;
  readonly notes: OneTimeNotes;
  readonly once: Once;
}
