/** What can be told of a repository's address. */
export interface UrlDescription {
  /** Without credentials and without `.git`; '' for a path on this machine, which is nobody else's business. */
  readonly url: string;
  /** The code host: `GitHub`, `Gitee`, `GitLab`, else `Git`. */
  readonly gsp: 'GitHub' | 'Gitee' | 'GitLab' | 'Git';
  /** False when the address carries credentials. */
  readonly public: boolean;
}

/** Describes the address of a repository so that anybody may see it. */
export function describeUrl(url: string): UrlDescription {
  if (!URL.canParse(url)) return { url: '', gsp: 'Git', public: true };
  const parsed = new URL(url);
  const hasCredentials = parsed.username !== '' || parsed.password !== '';
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return {
    url: parsed.href.replace(/\/+$/, '').replace(/\.git$/, ''),
    gsp: hostOf(parsed.hostname),
    public: !hasCredentials,
  };
}

function hostOf(hostname: string): UrlDescription['gsp'] {
  if (hostname === 'github.com') return 'GitHub';
  if (hostname === 'gitee.com') return 'Gitee';
  return /(?:^|\.)gitlab\./.test(hostname) ? 'GitLab' : 'Git';
}
