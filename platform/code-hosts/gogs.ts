import { phrase } from '../../lib/phrase.ts';
import type { CodeHost } from './code-host.ts';
import { createGiteaWebhooks } from './gitea.ts';

/** Gogs, of which Gitea is a fork: https://gogs.io/features/webhook. It sends the headers of GitHub, too, and Gitea those of Gogs. */
export const gogs: CodeHost = {
  id: 'gogs',
  name: 'Gogs',
  gsp: 'Git',
  hosts: /gogs|notabug/,
  icon: 'M12 3a9 9 0 1 0 9 9v-1h-8v2.2h5.6A6.8 6.8 0 1 1 12 5.2c1.8 0 3.4.7 4.6 1.8l1.6-1.6A9 9 0 0 0 12 3z',
  urls: {
    file: '/src/{ref}/{path}',
    folder: '/src/{ref}/{path}',
    edit: '/_edit/{ref}/{path}',
    commit: '/commit/{commit}',
  },
  webhooks: createGiteaWebhooks(
    'gogs',
    ['Gogs'],
    phrase`Settings → Webhooks → Add a new webhook → Gogs. Content type \`application/json\`, the project's secret, \`Let me choose what I need\`: \`Push\`, \`Delete\` and \`Release\`.`,
  ),
};
