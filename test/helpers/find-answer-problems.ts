import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

/** Returns how an answer differs from an example of it; what varies (`data.uid`) has the same kind of value. */
export function findDifferences(actual: unknown, example: unknown, varies: readonly string[] = []): readonly string[] {
  const problems: string[] = [];
  compare(actual, example, '');
  return problems;

  function compare(one: unknown, two: unknown, path: string): void {
    if (varies.includes(path)) {
      if (kindOf(one) !== kindOf(two)) problems.push(`${path} is ${kindOf(one)} instead of ${kindOf(two)}`);
    } else if (kindOf(one) === 'object' && kindOf(two) === 'object') {
      const [left, right] = [one as Record<string, unknown>, two as Record<string, unknown>];
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        const inner = path === '' ? name : `${path}.${name}`;
        if (!Object.hasOwn(left, name)) problems.push(`${inner} is not answered`);
        else if (!Object.hasOwn(right, name)) problems.push(`${inner} is not in the example`);
        else compare(left[name], right[name], inner);
      }
    } else if (!isDeepStrictEqual(one, two)) {
      problems.push(`${path} is ${JSON.stringify(one)} instead of ${JSON.stringify(two)}`);
    }
  }
}

/** Returns what of a JSON value a schema of the document does not allow; fields that it does not name are none. */
export function findSchemaProblems(value: unknown, schema: object): readonly string[] {
  const result = z.fromJSONSchema(closeObjects(schema) as never).safeParse(value);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** Published schemas are open, so that fields may be added; tests want to hear of ones that nobody described. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
