import type { z } from 'zod';
import { ApiError } from '../../http/errors.ts';

/** Returns a payload in the shape a schema asks for. Throws ApiError 400 that names the field, never its value. */
export function checkShape<T extends z.ZodType>(schema: T, payload: unknown, event: string): z.output<T> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? 'the payload' : `"${issue.path.join('.')}"`;
  const why = (issue?.message ?? 'wrong').replace(/^Invalid input: /, '');
  throw new ApiError(400, 'wrong-shape', `Cannot read the ${event} event: ${field}: ${why}`);
}
