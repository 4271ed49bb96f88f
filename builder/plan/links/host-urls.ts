/** Addresses of a repository's files at its code host. */
export interface HostUrls {
  /** Where a file is shown, or a folder. */
  readonly view: (path: string, isFolder: boolean) => string;
  /** Where a file can be edited in the browser. */
  readonly edit: (path: string) => string;
}

interface Pattern {
  readonly file: string;
  readonly folder: string;
  readonly edit: string;
}

/** Address patterns of the code hosts, by what their host names contain. */
const HOSTS: readonly (readonly [RegExp, Pattern])[] = [
  [/gitlab/, { file: '/-/blob/{ref}/{path}', folder: '/-/tree/{ref}/{path}', edit: '/-/edit/{ref}/{path}' }],
  [/github|gitee/, { file: '/blob/{ref}/{path}', folder: '/tree/{ref}/{path}', edit: '/edit/{ref}/{path}' }],
  [
    /codeberg|gitea|forgejo/,
    { file: '/src/branch/{ref}/{path}', folder: '/src/branch/{ref}/{path}', edit: '/_edit/{ref}/{path}' },
  ],
  [/bitbucket/, { file: '/src/{ref}/{path}', folder: '/src/{ref}/{path}', edit: '/src/{ref}/{path}?mode=edit' }],
];

/** Returns the addresses on one branch of a repository, or undefined when its host is none of those known. */
export function createHostUrls(webUrl: string | undefined, branch: string | undefined): HostUrls | undefined {
  if (webUrl === undefined || branch === undefined || !URL.canParse(webUrl)) return undefined;
  const { hostname } = new URL(webUrl);
  const pattern = HOSTS.find(([host]) => host.test(hostname))?.[1];
  if (!pattern) return undefined;
  const fill = (form: string, path: string): string =>
    webUrl + form.replace('{ref}', () => encodePath(branch)).replace('{path}', () => encodePath(path));
  return {
    view: (path, isFolder) => fill(isFolder ? pattern.folder : pattern.file, path),
    edit: (path) => fill(pattern.edit, path),
  };
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
