import type { CodeHost } from './code-host.ts';

/** Gitea and Forgejo, which have the same addresses. */
export const gitea: CodeHost = {
  id: 'gitea',
  name: 'Gitea or Forgejo',
  gsp: 'Git',
  hosts: /(?:^|[.-])(?:codeberg|gitea|forgejo)\./,
  urls: {
    file: '/src/branch/{ref}/{path}',
    folder: '/src/branch/{ref}/{path}',
    edit: '/_edit/{ref}/{path}',
    commit: '/commit/{commit}',
  },
};
