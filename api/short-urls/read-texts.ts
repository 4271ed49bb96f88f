import type { Context } from 'koa';
import { readFields } from '../http/bodies.ts';
import { ApiError } from '../http/errors.ts';

/** Long URLs that are too long get an answer that says so. */
const MAX_BYTES = 200_000;

/** Returns these fields of a request's body, see `readFields`; null is as good as none. Throws ApiError 400 where one is no text. */
export async function readTexts(ctx: Context, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const fields = await readFields(ctx, MAX_BYTES);
  const texts = new Map<string, string>();
  for (const name of names) {
    const value = fields.get(name) ?? undefined;
    if (typeof value === 'string') texts.set(name, value);
    else if (value !== undefined) throw new ApiError(400, 'bad-request', `Field "${name}" must be text`);
  }
  return texts;
}
