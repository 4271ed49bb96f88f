import { git, gitBytes } from './git.ts';

/** Commits a change of one page to a branch of a bare repository: text is added to its end. */
export function changePage(repository: string, change: { branch: string; path: string; text: string }): void {
  const { branch, path, text } = change;
  const ref = `refs/heads/${branch}`;
  const page = gitBytes(repository, ['cat-file', 'blob', `${ref}:${path}`]);
  const stream = [
    `commit ${ref}\ncommitter Bench <bench@example.test> 1704164645 +0000\ndata 6\nChange\nfrom ${ref}^0\n`,
    `M 100644 inline ${path}\ndata ${page.length + Buffer.byteLength(text)}\n`,
    page,
    `${text}\n`,
  ];
  git(repository, ['fast-import', '--quiet'], Buffer.concat(stream.map((part) => Buffer.from(part))));
}
