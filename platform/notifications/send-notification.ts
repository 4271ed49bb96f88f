import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import { createHttpClient, HttpError } from '../../lib/http-client.ts';
import { isAmongNetworks, isPublicAddress } from '../../lib/ip-address.ts';
import { createSignedHeaders } from '../../lib/standard-webhooks.ts';

/** Sends notifications to the URLs of projects. */
export interface NotificationSender {
  /** Sends a notification once. Returns why it failed, '' = it did not. */
  send(project: Project, notification: Notification): Promise<string>;
  /** Sends a test, of type `test`, once. Returns why it failed, '' = it did not. */
  sendTest(project: Project, id: string): Promise<string>;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

export interface SenderOptions {
  /** Base URL of the API, without a final slash. */
  readonly docsApiUrl: string;
  readonly siteUrl: (project: Project) => string;
  /** Returns addresses and ranges that may be reached besides those of the public internet. */
  readonly allowed: () => readonly string[];
  readonly now: () => Date;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** Bodies of answers are ignored; one that is not longer leaves the connection open. */
const MAX_ANSWER_BYTES = 100_000;

/** Creates the sender. Redirects are not followed: the URL is to be changed instead. */
export function createNotificationSender(options: SenderOptions): NotificationSender {
  const { docsApiUrl, siteUrl, allowed, now, timeoutMs = TIMEOUT_MS } = options;
  const client = createHttpClient({
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
    isGuarded: true,
    isAllowedAddress: (address) => isPublicAddress(address) || isAmongNetworks(address, allowed()),
  });

  async function post({ notify = '', notifySecret = '' }: Project, id: string, content: object): Promise<string> {
    const time = now();
    const body = JSON.stringify(content);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'docbuild',
      ...createSignedHeaders(notifySecret, { id, time, body }),
    };
    try {
      const { status } = await client.send(notify, { method: 'POST', headers, body, isBodyIgnored: true });
      return status >= 200 && status < 300 ? '' : `"${new URL(notify).host}" answered ${status}`;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const hint = error.code === 'not-allowed' ? '; allow it with "notifications.allowed" in the configuration' : '';
      return error.message + hint;
    }
  }
  const describeProject = (project: Project) => ({
    project: project.name,
    projectUrl: `${docsApiUrl}/docbuild/projects/${project.name}`,
    siteUrl: siteUrl(project),
  });

  return {
    send(project, { id, ref, state, build, at, errors, messages }) {
      const status = state === 'mended' ? 'passing' : 'failing';
      const buildUrl = `${docsApiUrl}/docbuild/builds/${build}`;
      const data = { ...describeProject(project), ref, status, build, buildUrl, errors, messages };
      return post(project, id, { type: `version.${state}`, timestamp: at, data });
    },
    sendTest: (project, id) =>
      post(project, id, { type: 'test', timestamp: now().toISOString(), data: describeProject(project) }),
    close: () => client.close(),
  };
}
