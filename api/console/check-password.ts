import type { ConsoleContext, ConsoleRequest } from './console-page.ts';

/**
 * Throws unless this is the visitor's own password: what a session left open must not be enough for. Attempts count like
 * logins, so that such a session does not help to guess the password.
 */
export async function checkPassword(
  { login, accounts }: Pick<ConsoleContext, 'login' | 'accounts'>,
  { ctx, visitor: { user } }: ConsoleRequest,
  password: string,
): Promise<void> {
  const { session: proof } = await login(ctx, { account: user.account, password });
  await accounts.store.sessions.remove(proof.tokenHash);
}
