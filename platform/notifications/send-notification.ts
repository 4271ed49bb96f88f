import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import { createSignedPost } from './post-signed.ts';

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

/** Creates the sender. */
export function createNotificationSender(options: SenderOptions): NotificationSender {
  const { docsApiUrl, siteUrl, allowed, now, timeoutMs } = options;
  const signed = createSignedPost({ allowed, allowedKey: 'notifications.allowed', now, timeoutMs });
  const post = ({ notify = '', notifySecret = '' }: Project, id: string, content: object): Promise<string> =>
    signed.send({ url: notify, secret: notifySecret }, { id, content });
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
    close: signed.close,
  };
}
