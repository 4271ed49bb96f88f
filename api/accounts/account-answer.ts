import { z } from 'zod';
import type { User } from '../../data/records/user.ts';
import { ApiError } from '../http/errors.ts';

/** The schema of what is told of an account that logs in or registers. */
export const accountSchema = z.object({ uid: z.string().describe('10 digits'), account: z.string() });

/** What the bodies of these routes are, for the document. */
export function formBody(
  fields: Readonly<Record<string, string>>,
  required: readonly string[],
): Record<string, object> {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }]),
  );
  const schema = { type: 'object', properties, required };
  return { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } };
}

/** Returns what is told of an account. */
export function presentAccount({ uid, account }: User): z.infer<typeof accountSchema> {
  return { uid, account };
}

/** Returns a field that has to be there. Throws ApiError 400. */
export function getField(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '') throw new ApiError(400, 'bad-request', `Field "${name}" is missing`);
  return value;
}
