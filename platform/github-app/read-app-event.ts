import * as z from 'zod';
import { quoteName } from '../../lib/quote-name.ts';
import { checkShape } from '../code-hosts/webhook-payload.ts';
import { findRepositoryName, type Installation, installationSchema, type RepositoryName } from './github-api.ts';

/** The request that an event of the App makes. */
export type AppEvent =
  /** Repositories that the App reaches from now on; undefined = the event does not list them. */
  | {
      readonly kind: 'granted';
      readonly installation: Installation;
      readonly repositories: readonly RepositoryName[] | undefined;
    }
  /** Repositories that it no longer reaches; undefined = all of the installation. */
  | {
      readonly kind: 'revoked';
      readonly installation: Installation;
      readonly repositories: readonly RepositoryName[] | undefined;
    }
  | { readonly kind: 'ping' }
  | { readonly kind: 'ignored'; readonly why: string };

const repositories = z.array(z.object({ full_name: z.string() }));
const actionSchema = z.object({ action: z.string(), installation: installationSchema });
const installationEvent = z.object({ repositories: repositories.nullish() });
const repositoriesEvent = z.object({ repositories_added: repositories, repositories_removed: repositories.nullish() });

const GRANTING: ReadonlySet<string> = new Set(['created', 'new_permissions_accepted', 'unsuspend']);
const REVOKING: ReadonlySet<string> = new Set(['deleted', 'suspend']);

/** Reads an event that GitHub sent to the App. Throws WebhookError for one that has not the documented shape. */
export function readAppEvent(event: string, payload: unknown): AppEvent {
  if (event === 'ping') return { kind: 'ping' };
  if (event !== 'installation' && event !== 'installation_repositories') {
    return { kind: 'ignored', why: `event ${quoteName(event)} is not an event of the App` };
  }
  const { action, installation } = checkShape(actionSchema, payload, event);
  const isList = event === 'installation_repositories';
  if (isList && action === 'added') {
    const { repositories_added } = checkShape(repositoriesEvent, payload, event);
    return { kind: 'granted', installation, repositories: toNames(repositories_added) };
  }
  if (isList && action === 'removed') {
    const { repositories_removed } = checkShape(repositoriesEvent, payload, event);
    return { kind: 'revoked', installation, repositories: toNames(repositories_removed ?? []) };
  }
  if (!isList && (GRANTING.has(action) || REVOKING.has(action))) {
    const list = checkShape(installationEvent, payload, event).repositories;
    const names = list ? toNames(list) : undefined;
    return GRANTING.has(action)
      ? { kind: 'granted', installation, repositories: names }
      : { kind: 'revoked', installation, repositories: undefined };
  }
  return { kind: 'ignored', why: `${event} action ${quoteName(action)} changes no webhook` };
}

/** Names that no repository has are left out: they come into addresses. */
function toNames(list: z.infer<typeof repositories>): readonly RepositoryName[] {
  return list.map(({ full_name }) => findRepositoryName(full_name)).filter((name) => name !== undefined);
}
