import { ApiError } from '../http/errors.ts';
import type { EngineMethod } from './engine.ts';
import { parseTarget, type Target } from './parse-target.ts';

/** What a caller wants to know. */
export interface InclusionQuery {
  readonly target: Target;
  readonly method: EngineMethod['name'] | undefined;
  /** The engine is asked although the answer is known. */
  readonly isForced: boolean;
}

const MAX_QUERY = 16_000;
const NAMES = ['url', 'method', 'force', 'token'];

/** Reads the query of an inclusion query; parameters of other names are ignored. Throws ApiError 400. */
export function readInclusionQuery(text: string, methods: readonly EngineMethod['name'][]): InclusionQuery {
  if (text.length > MAX_QUERY) throw wrong(`The query has more than ${MAX_QUERY} characters`);
  const values = new URLSearchParams(text);
  const twice = NAMES.find((name) => values.getAll(name).length > 1);
  if (twice !== undefined) throw wrong(`Parameter "${twice}" is given more than once`);
  return {
    target: parseTarget(values.get('url') ?? undefined),
    method: readMethod(values.get('method')?.trim() ?? '', methods),
    isForced: readForce(values.get('force')?.trim().toLowerCase() ?? ''),
  };
}

function readMethod(text: string, methods: readonly EngineMethod['name'][]): EngineMethod['name'] | undefined {
  if (text === '') return undefined;
  const method = methods.find((name) => name === text.toLowerCase());
  if (method === undefined) throw wrong(`Parameter "method" must be ${methods.join(' or ')}`);
  return method;
}

function readForce(text: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '' || text === '0' || text === 'false') return false;
  throw wrong('Parameter "force" must be 1 or true');
}

function wrong(message: string): ApiError {
  return new ApiError(400, 'bad-request', message);
}
