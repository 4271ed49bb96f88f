import type { Context } from 'koa';
import { DataError } from '../../data/data-error.ts';
import { phrase } from '../../lib/phrase.ts';
import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import type { Operations } from '../../platform/operations/operations.ts';
import type { PresentedProject } from '../../platform/projects/present-project.ts';
import { checkConsoleHost } from '../../platform/projects/project-hosts.ts';
import type { ProjectSettings } from '../../platform/projects/project-settings.ts';
import { findSharedDomain } from '../../platform/projects/shared-domains.ts';
import type { ConsoleContext, SubmittedRequest } from './console-page.ts';
import type { MadeSecrets } from './project-form.ts';

/*
 * Steps that the creation and the change of a project share.
 */

/**
 * Throws where a form brings other commands, which run on the server, or another folder of the server, which may be private,
 * without the password of whoever sends it.
 */
export async function checkServerAccess(
  context: ConsoleContext,
  request: SubmittedRequest,
  after: Pick<Partial<ProjectSettings>, 'before' | 'after' | 'url'>,
  before: Pick<ProjectSettings, 'before' | 'after' | 'url'> = { before: '', after: '', url: '' },
): Promise<void> {
  const isOther = (field: 'before' | 'after' | 'url'): boolean => !!after[field] && after[field] !== before[field];
  const hasCommand = isOther('before') || isOther('after');
  if (!hasCommand && !(isOther('url') && isOnServer(after.url!))) return;
  const password = request.form.get('password') ?? '';
  if (password === '') {
    throw new DataError(
      'invalid',
      hasCommand
        ? phrase`Commands run on the server: enter your password`
        : phrase`This is a folder of the server: enter your password`,
    );
  }
  await context.checkPassword(request.ctx, { account: request.visitor.user.account, password });
}

/** Throws where a form gives a project the very host that it was sent to, which the configuration need not name. */
export function checkOwnHost({ ctx }: Pick<SubmittedRequest, 'ctx'>, name: string, domain = ''): void {
  checkConsoleHost({ name, domain: domain.toLowerCase() }, hostOfRequest(ctx));
}

/** Returns the domain that a project's own host shares with this console; '' if there is none. */
export function findSharedDomainAt(
  { ctx }: Pick<SubmittedRequest, 'ctx'>,
  { domain, sharedDomain }: Pick<PresentedProject, 'domain' | 'sharedDomain'>,
): string {
  return sharedDomain?.domain ?? findSharedDomain(hostOfRequest(ctx), domain) ?? '';
}

function hostOfRequest(ctx: Context): string {
  return ctx.host.replace(/:\d*$/, '').toLowerCase();
}

/** Returns whether an address is a folder of the server. */
export function isOnServer(url: string): boolean {
  return parseRepositoryAddress(url).kind === 'path';
}

/** Requests a build of a project that has been stored, whatever comes of it. Returns whether it could be requested. */
export async function requestBuild(operations: Operations, name: string): Promise<boolean> {
  try {
    await operations.build({ name, all: true });
    return true;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return false;
  }
}

/** Keeps secrets that were made for a project until its page shows them, once. */
export async function keepSecrets(
  { flashSecrets }: Pick<ConsoleContext, 'flashSecrets'>,
  token: string,
  name: string,
  { secret, notifySecret }: MadeSecrets,
): Promise<void> {
  if (secret !== undefined) await flashSecrets.put(token, 'webhook', { secret, of: name });
  if (notifySecret !== undefined) await flashSecrets.put(token, 'notifications', { secret: notifySecret, of: name });
}
