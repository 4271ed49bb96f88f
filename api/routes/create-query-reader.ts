import { ApiError } from '../api-error.ts';
import type { Route } from '../http/route.ts';

/** Longest query string in characters. */
const MAX_QUERY = 8_000;

/** Gives a function that reads the query of a route. Throws ApiError 414 and 400, which names the parameter. */
export function createQueryReader({
  query,
  isLenient = false,
  readsQuery = false,
}: Route): (text: string) => Record<string, unknown> {
  if (!query || readsQuery) return () => ({});
  // Most requests have none.
  const empty = query.safeParse({});
  return (asked) => {
    const text = isLenient ? asked.slice(0, MAX_QUERY) : asked;
    if (text === '' && empty.success) return empty.data;
    if (text.length > MAX_QUERY) throw new ApiError(414, 'too-long', `The query has more than ${MAX_QUERY} characters`);
    const values = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) {
      if (!Object.hasOwn(query.shape, name)) continue;
      if (values.has(name) && isLenient) continue;
      if (values.has(name)) throw new ApiError(400, 'bad-request', `Parameter "${name}" is given more than once`);
      values.set(name, value);
    }
    const result = query.safeParse(Object.fromEntries(values));
    if (result.success) return result.data;
    const issue = result.error.issues[0]!;
    throw new ApiError(
      400,
      'bad-request',
      `Parameter "${issue.path.join('.')}": ${issue.message.replace(/^Invalid input: /, '')}`,
    );
  };
}
