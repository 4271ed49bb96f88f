import type { Project } from '../../data/records/project.ts';
import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import type { CodeHost } from '../code-hosts/code-host.ts';
import type { CodeHosts } from '../code-hosts/code-hosts.ts';
import { isSecretShort } from './project-secret.ts';
import type { SharedDomain } from './shared-domains.ts';

/** A project as its operator sees it. */
export type PresentedProject = Omit<Project, 'url' | 'secret' | 'notifySecret'> &
  UrlDescription & {
    readonly hasSecret: boolean;
    readonly hasNotifySecret: boolean;
    /** Present where the secret is shorter than a new one may be. */
    readonly hasShortSecret?: true;
    /** Present where its own domain shares one with the console. */
    readonly sharedDomain?: SharedDomain;
  };

/** Returns a project without credentials and secrets. */
export function presentProject({ secret, notifySecret, ...project }: Project, codeHosts: CodeHosts): PresentedProject {
  const described = describeUrl(project.url, codeHosts);
  const secrets = {
    hasSecret: secret !== '',
    hasNotifySecret: notifySecret !== '',
    ...(isSecretShort({ secret }) && { hasShortSecret: true as const }),
  };
  return { ...project, ...described, url: described.url || project.url, ...secrets };
}

/** Returns the URL of a commit at the code host; '' if it is unknown, or if readers are not shown the repository. */
export function findCommitUrl({ url, hideGit }: Project, commit: string, codeHosts: CodeHosts): string {
  const address = parseRepositoryAddress(url);
  if (hideGit || commit === '' || address.kind !== 'http' || address.webUrl === undefined) return '';
  const urls = codeHosts.find(address.hostname)?.urls;
  return urls ? address.webUrl + urls.commit.replace('{commit}', commit) : '';
}

/** The parts of a repository's URL that may be shown. */
export interface UrlDescription {
  /** Without credentials and without `.git`; '' for a path on this machine, which concerns its operator alone. */
  readonly url: string;
  /** The code host. */
  readonly gsp: CodeHost['gsp'];
  /** False when the URL carries credentials. */
  readonly public: boolean;
}

/** Describes the URL of a repository without anything secret. */
export function describeUrl(url: string, codeHosts: CodeHosts): UrlDescription {
  const address = parseRepositoryAddress(url);
  if (address.kind !== 'http') return { url: '', gsp: 'Git', public: true };
  return {
    url: address.url.replace(/\.git$/, ''),
    gsp: codeHosts.find(address.hostname)?.gsp ?? 'Git',
    public: address.credentials === undefined,
  };
}
