import type { z } from 'zod';
import { GithubError } from './github-error.ts';

/** Returns what GitHub answered in the shape a schema asks for. Throws GithubError that names the field. */
export function checkAnswer<T extends z.ZodType>(schema: T, data: unknown, what: string): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const field = result.error.issues[0]?.path.join('.') || 'the answer';
  throw new GithubError(`Cannot read GitHub's answer to ${what}: ${field} is not as documented`, 0, undefined);
}
