import { randomUUID } from 'node:crypto';
import type { OutboxEntry } from '../../data/records/outbox-entry.ts';
import { createReceiverClient } from '../../lib/receiver-client.ts';
import { createSignedHeaders } from '../../lib/standard-webhooks.ts';
import type { OutboxSender } from '../outbox/attempts.ts';
import { type CdnSettings, MAX_TAGS, tagOf } from './cdn-settings.ts';

const ONE = '{tag}';
const ALL = '{tags}';

/** Creates what tells a CDN what to forget, see `createReceiverClient`. */
export function createPurgeSender(options: {
  readonly settings: () => CdnSettings;
  readonly now: () => Date;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}): OutboxSender {
  const { settings, now, timeoutMs } = options;
  const client = createReceiverClient({ allowed: () => settings().allowed, allowedKey: 'cdn.allowed', timeoutMs });
  return {
    batchSize: () => (isForOne(settings()) ? 1 : MAX_TAGS),
    send: (purges, signal) => client.send(fillRequest(settings(), purges, now()), signal),
    close: client.close,
  };
}

/** A request as it is sent. */
export interface PurgeRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Returns the request for some purges: what the operator has written, with the tags in it. In a body `{tags}` are texts of JSON separated by
 * commas, as an array has them, and elsewhere words separated by spaces. Where the operator has written neither a body nor a tag, the body
 * is docbuild's own description of what has changed, signed as Standard Webhooks describes it if there is a secret.
 */
export function fillRequest(
  cdn: CdnSettings,
  purges: readonly Pick<OutboxEntry, 'project' | 'urls'>[],
  time: Date,
): PurgeRequest {
  const tags = purges.map(({ project }) => tagOf(project));
  // Tags have letters, digits, `-` and `_` only.
  const fill = (text: string): string => text.replaceAll(ONE, tags[0] ?? '').replaceAll(ALL, tags.join(' '));
  const own = Object.fromEntries(Object.entries(cdn.headers).map(([name, value]) => [name.toLowerCase(), fill(value)]));
  const request = { url: fill(cdn.url).replaceAll(' ', '%20'), method: cdn.method };
  if (cdn.body !== '') {
    const list = tags.map((tag) => JSON.stringify(tag)).join(',');
    const body = cdn.body.replaceAll(ALL, list).replaceAll(ONE, tags[0] ?? '');
    return { ...request, headers: { 'content-type': 'application/json', 'user-agent': 'docbuild', ...own }, body };
  }
  if (isFilled(cdn)) return { ...request, headers: { 'user-agent': 'docbuild', ...own }, body: '' };
  const sites = purges.map(({ project, urls }) => ({ project, tag: tagOf(project), urls }));
  const body = JSON.stringify({ type: 'sites.changed', timestamp: time.toISOString(), data: { tags, sites } });
  const signed = cdn.secret === '' ? {} : createSignedHeaders(cdn.secret, { id: `msg_${randomUUID()}`, time, body });
  const headers = { 'content-type': 'application/json', 'user-agent': 'docbuild', ...own, ...signed };
  return { ...request, headers, body };
}

function listTexts({ url, headers, body }: CdnSettings): readonly string[] {
  return [url, body, ...Object.values(headers)];
}

function isForOne(cdn: CdnSettings): boolean {
  return listTexts(cdn).some((text) => text.includes(ONE));
}

function isFilled(cdn: CdnSettings): boolean {
  return listTexts(cdn).some((text) => text.includes(ONE) || text.includes(ALL));
}
