import { failure } from '../docbuild/answers.ts';
import type { Answer, Route } from '../http/route.ts';

/**
 * Gives the answers of a route with those that come of how it is asked: a query or a body that cannot be read, and changes
 * that cannot be written. What the route says itself counts.
 */
export function impliedAnswers(route: Route): Readonly<Record<number, Answer>> {
  const { query, body, isLenient = false, readsQuery = false, method, answers } = route;
  const checksQuery = query !== undefined && !isLenient && !readsQuery;
  return {
    ...(checksQuery && {
      400: failure('A parameter is wrong, or given twice'),
      414: failure('The query has more than 8,000 characters'),
    }),
    ...(body && {
      400: failure('The body or a parameter cannot be read'),
      413: failure('The body is too large'),
      415: failure('The body has another media type, or a content coding'),
    }),
    ...(method === 'post' && { 503: failure('It cannot be done now: the disk refuses, or too many ask') }),
    ...answers,
  };
}
