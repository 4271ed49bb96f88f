import type { CodeHost } from './code-host.ts';

/** Bitbucket: links to files and commits; its webhooks are not understood. */
export const bitbucket: CodeHost = {
  id: 'bitbucket',
  name: 'Bitbucket',
  gsp: 'Git',
  hosts: /bitbucket/,
  urls: {
    file: '/src/{ref}/{path}',
    folder: '/src/{ref}/{path}',
    edit: '/src/{ref}/{path}?mode=edit',
    commit: '/commits/{commit}',
  },
};
