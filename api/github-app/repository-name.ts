/** A repository on GitHub. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

const PART = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** Returns owner and name of `owner/name`, or undefined for what GitHub would never call a repository. */
export function findRepositoryName(fullName: string): RepositoryName | undefined {
  const [owner, repo, ...rest] = fullName.split('/');
  if (owner === undefined || repo === undefined || rest.length > 0) return undefined;
  return PART.test(owner) && PART.test(repo) ? { owner, repo } : undefined;
}

/** Returns the repository of a key (`host/owner/name`) when it is on this host (lower case). */
export function findRepositoryOfKey(key: string, host: string): RepositoryName | undefined {
  return key.startsWith(`${host}/`) ? findRepositoryName(key.slice(host.length + 1)) : undefined;
}
