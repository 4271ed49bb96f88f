import { createHash } from 'node:crypto';
import type { OutboxEntry } from '../../data/records/outbox-entry.ts';
import type { Store } from '../../data/store.ts';
import type { Config } from '../config/config-schema.ts';
import { createSignedPost } from '../notifications/post-signed.ts';
import type { OutboxSender } from '../outbox/attempts.ts';

/** Versions that an event names. */
const MAX_VERSIONS = 100;

/** Creates the sender of events: each says how a site is when it is sent, so that several changes which wait are one event. */
export function createEventSender(options: {
  readonly settings: () => Config['events'];
  readonly store: {
    readonly projects: Pick<Store['projects'], 'find'>;
    readonly builds: Pick<Store['builds'], 'find'>;
  };
  /** Base URL of the API, without a final slash. */
  readonly docsApiUrl: string;
  readonly now: () => Date;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}): OutboxSender {
  const { settings, store, docsApiUrl, now, timeoutMs } = options;
  const post = createSignedPost({ allowed: () => settings().allowed, allowedKey: 'events.allowed', now, timeoutMs });

  const describe = async ({ project: name, urls, at }: OutboxEntry): Promise<object> => {
    const project = await store.projects.find(name);
    const common = { project: name, urls };
    if (!project || project.versions.length === 0) return { type: 'site.removed', timestamp: at, data: common };
    const build = project.publishedBy === undefined ? undefined : await store.builds.find(project.publishedBy);
    const data = {
      ...common,
      projectUrl: `${docsApiUrl}/docbuild/projects/${name}`,
      build: build?.id ?? '',
      buildUrl: build ? `${docsApiUrl}/docbuild/builds/${build.id}` : '',
      ref: build?.ref ?? '',
      commit: build?.commit ?? '',
      versionCount: project.versions.length,
      versions: project.versions.slice(0, MAX_VERSIONS).map(({ ref, oid }) => ({ ref, commit: oid })),
    };
    return { type: 'site.published', timestamp: at, data };
  };
  return {
    batchSize: () => 1,
    async send(changes, signal) {
      for (const change of changes) {
        const failure = await post.send(settings(), { id: createId(change), content: await describe(change) }, signal);
        if (failure !== '') return failure;
      }
      return '';
    },
    close: post.close,
  };
}

/** Returns what tells an event from others, however often it is sent. */
function createId({ project, at, requests }: OutboxEntry): string {
  return `msg_${createHash('sha256').update(`${project} ${at} ${requests}`).digest('base64url').slice(0, 32)}`;
}
