import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import type { Notifier } from '../notifications/notifier.ts';

/** What an operator can do with notifications. They throw DataError `not-found`, `invalid`. */
export interface NotificationOperations {
  /** Returns the last changes of a project's versions to failing and back, newest first, up to 200, and whether somebody was told. */
  listNotifications(input: { readonly name: string }): Promise<readonly Notification[]>;
  /** Sends a test to the URL of a project, once; `message` says why it failed. */
  sendTestNotification(input: {
    readonly name: string;
  }): Promise<{ readonly success: boolean; readonly message: string }>;
}

const MAX_LISTED = 200;

/** Creates the operations on notifications. */
export function createNotificationOperations({
  store,
  notifier,
  getProject,
}: {
  readonly store: Pick<Store, 'notifications'>;
  readonly notifier: Pick<Notifier, 'sendTest'>;
  readonly getProject: (name: string) => Promise<Project>;
}): NotificationOperations {
  return {
    async listNotifications({ name }) {
      return store.notifications.list({ project: (await getProject(name)).name, limit: MAX_LISTED });
    },
    async sendTestNotification({ name }) {
      const message = await notifier.sendTest(await getProject(name));
      return { success: message === '', message };
    },
  };
}
