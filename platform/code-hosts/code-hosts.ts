import type { HostUrlPatterns } from '../../builder/index.ts';
import { bitbucket } from './bitbucket.ts';
import type { CodeHost, WebhookProtocol } from './code-host.ts';
import { gitea } from './gitea.ts';
import { gitee } from './gitee.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { gogs } from './gogs.ts';

/** All code hosts. The order counts: Gitea and Forgejo also send the headers of Gogs, and all three those of GitHub. */
export const CODE_HOSTS: readonly CodeHost[] = [gitea, gogs, gitlab, gitee, github, bitbucket];

/** Those that send webhooks, in the same order. */
export const WEBHOOK_SENDERS: readonly (CodeHost & { readonly webhooks: WebhookProtocol })[] = CODE_HOSTS.filter(
  (host): host is CodeHost & { readonly webhooks: WebhookProtocol } => host.webhooks !== undefined,
);

/** Ids of all code hosts, for whoever says which one runs somewhere. */
export const CODE_HOST_IDS = CODE_HOSTS.map(({ id }) => id).sort();

/** Tells which code host runs at which host name. */
export interface CodeHosts {
  /** Returns what runs at a host name; undefined where nobody knows. */
  find(hostname: string): CodeHost | undefined;
  /** The same as data, for the engine. */
  readonly patterns: readonly HostUrlPatterns[];
}

/**
 * Creates what a service knows of code hosts. They are recognised by their host names (`gitlab.example.org`); `own` says it
 * of others, e.g. `git.example.org` → `gitlab`, and `other` of all that remain. Throws for an unknown id.
 */
export function createCodeHosts({
  own = {},
  other,
}: {
  readonly own?: Readonly<Record<string, string>>;
  readonly other?: string | undefined;
} = {}): CodeHosts {
  const rules = [
    ...Object.entries(own).map(([name, id]) => ({
      hosts: `^${escapePattern(name.toLowerCase())}$`,
      host: getCodeHost(id),
    })),
    ...CODE_HOSTS.map((host) => ({ hosts: host.hosts.source, host })),
    ...(other === undefined ? [] : [{ hosts: '', host: getCodeHost(other) }]),
  ];
  return {
    find: (hostname) => rules.find(({ hosts }) => new RegExp(hosts).test(hostname.toLowerCase()))?.host,
    patterns: rules.map(({ hosts, host }) => {
      const { file, folder, edit } = host.urls;
      return { id: host.id, icon: host.icon, hosts, file, folder, edit };
    }),
  };
}

function getCodeHost(id: string): CodeHost {
  const host = CODE_HOSTS.find((one) => one.id === id);
  if (!host) throw new Error(`Code host "${id}" is not known; write one of ${CODE_HOST_IDS.join(', ')}`);
  return host;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
