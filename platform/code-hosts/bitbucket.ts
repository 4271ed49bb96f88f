import type { CodeHost } from './code-host.ts';

/** Bitbucket: links to files and commits; its webhooks are not understood. */
export const bitbucket: CodeHost = {
  id: 'bitbucket',
  name: 'Bitbucket',
  gsp: 'Git',
  hosts: /bitbucket/,
  icon: 'M2.5 4h19l-2.7 16.5H5.2zM9.3 9.2l1 5.8h3.4l1-5.8z',
  urls: {
    file: '/src/{ref}/{path}',
    folder: '/src/{ref}/{path}',
    edit: '/src/{ref}/{path}?mode=edit',
    commit: '/commits/{commit}',
  },
};
