import type { Context } from 'koa';
import { readFields } from '../../read-fields.ts';

/** Long URLs that are too long get an answer that says so. */
const MAX_BYTES = 200_000;

/** Gives the fields of a request's body that are text, see `readFields`. */
export async function readTexts(ctx: Context): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [name, value] of await readFields(ctx, MAX_BYTES)) if (typeof value === 'string') texts.set(name, value);
  return texts;
}
