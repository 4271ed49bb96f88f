import type { CodeHost } from './code-host.ts';

/** GitLab. */
export const gitlab: CodeHost = {
  id: 'gitlab',
  name: 'GitLab',
  gsp: 'GitLab',
  hosts: /(?:^|[.-])gitlab\./,
  urls: {
    file: '/-/blob/{ref}/{path}',
    folder: '/-/tree/{ref}/{path}',
    edit: '/-/edit/{ref}/{path}',
    commit: '/-/commit/{commit}',
  },
};
