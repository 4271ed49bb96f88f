import type { Context } from 'koa';
import { isSameSecret } from '../../lib/secrets.ts';
import { readForm } from '../http/bodies.ts';
import type { Callers } from '../http/callers.ts';
import { ApiError } from '../http/errors.ts';

/** Fields of a form of the console. */
export type ConsoleForm = ReadonlyMap<string, string>;

/** The field with the token. */
export const FORM_FIELD = 'form';

/**
 * Returns the fields of a form that was shown to the one who sends it: throws ApiError 403 for pages of other sites, and for a
 * form without the token; where none is known, no form has it.
 */
export async function readCheckedForm(
  ctx: Context,
  callers: Callers,
  formToken: string | undefined,
): Promise<ConsoleForm> {
  callers.checkOrigin(ctx);
  const form = await readForm(ctx);
  if (formToken === undefined || !isSameSecret(form.get(FORM_FIELD) ?? '', formToken)) {
    throw new ApiError(403, 'form-token', 'This form is too old; go back, load the page anew and send it again');
  }
  return form;
}
