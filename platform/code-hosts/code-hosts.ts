import { bitbucket } from './bitbucket.ts';
import type { CodeHost, RepositoryUrls, WebhookProtocol } from './code-host.ts';
import { gitea } from './gitea.ts';
import { gitee } from './gitee.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

/** All code hosts. The order counts: Gitea and Forgejo also send the headers of GitHub. */
export const CODE_HOSTS: readonly CodeHost[] = [gitea, gitlab, gitee, github, bitbucket];

/** Those that send webhooks, in the same order. */
export const WEBHOOK_SENDERS: readonly (CodeHost & { readonly webhooks: WebhookProtocol })[] = CODE_HOSTS.filter(
  (host): host is CodeHost & { readonly webhooks: WebhookProtocol } => host.webhooks !== undefined,
);

/** Knows which code host runs at which host name. */
export interface CodeHosts {
  /** Returns what runs at a host name; undefined where nobody knows. */
  find(hostname: string): CodeHost | undefined;
  /** The same as data, for the engine. */
  readonly urls: readonly (Pick<RepositoryUrls, 'file' | 'folder' | 'edit'> & { readonly hosts: string })[];
}

/**
 * Creates the knowledge for one service: code hosts are recognised by their names (`gitlab.example.org`); `own` says it of
 * other host names, e.g. `git.example.org` → `gitlab`.
 */
export function createCodeHosts(own: Readonly<Record<string, string>> = {}): CodeHosts {
  const named = new Map(Object.entries(own).map(([hostname, id]) => [hostname.toLowerCase(), getCodeHost(id)]));
  const rules = [
    ...[...named].map(([hostname, host]) => ({ hosts: `^${escapePattern(hostname)}$`, host })),
    ...CODE_HOSTS.map((host) => ({ hosts: host.hosts.source, host })),
  ];
  return {
    find: (hostname) => rules.find(({ hosts }) => new RegExp(hosts).test(hostname.toLowerCase()))?.host,
    urls: rules.map(({ hosts, host: { urls } }) => ({ hosts, file: urls.file, folder: urls.folder, edit: urls.edit })),
  };
}

/** Returns a code host by its id, which was checked. */
function getCodeHost(id: string): CodeHost {
  const host = CODE_HOSTS.find((one) => one.id === id);
  if (!host) throw new Error(`Code host "${id}" is not known`);
  return host;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
