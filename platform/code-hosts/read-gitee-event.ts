import { quoteName } from '../../../lib/quote-name.ts';
import { type Meaning, readPush } from './read-push.ts';

/** Both spellings are sent: the first in ordinary calls, the second in some test calls. */
const PUSH_EVENTS: ReadonlySet<string> = new Set(['Push Hook', 'Tag Push Hook', 'push_hooks', 'tag_push_hooks']);

/** Reads an event of Gitee. Its test button sends an ordinary event with `X-Gitee-Ping: true`. Throws ApiError 400. */
export function readGiteeEvent(event: string, payload: unknown, isPing: boolean): Meaning {
  if (isPing) return { kind: 'ping' };
  if (PUSH_EVENTS.has(event)) return readPush(payload);
  return { kind: 'ignored', why: `event ${quoteName(event)} builds nothing` };
}
