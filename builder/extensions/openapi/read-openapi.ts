import { parseYaml } from '../../config/parse-yaml.ts';

/** A map of a document. Nothing of it is believed: every value is looked at before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

/** An operation, with what its path says of all its operations. */
export interface Operation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
  readonly parameters: readonly Fields[];
  readonly tag: string | undefined;
}

/** A document of OpenAPI 3, JSON or YAML. References are resolved inside the document only: nothing else is read. */
export interface OpenapiDocument {
  readonly root: Fields;
  readonly operations: readonly Operation[];
  /** Follows the references of a value; undefined for one that leads nowhere, which is reported. */
  resolve(value: unknown): Fields | undefined;
  /** Returns the name of the schema that a value refers to. */
  schemaName(value: unknown): string | undefined;
  /** Counts characters that are written, since references multiply what a document says. Throws `OpenapiTooLarge`. */
  spend(characters: number): void;
}

/** Thrown for a document that is too much for pages with its references followed. */
export class OpenapiTooLarge extends Error {
  override readonly name = 'OpenapiTooLarge';
}

/** A mistake; the line counts from 1. */
export interface OpenapiMistake {
  readonly line: number;
  readonly message: string;
}

const MAX_LENGTH = 5_000_000;
const MAX_OPERATIONS = 2_000;
/** Characters of all pages, and of a row of parameters for as long as it is only listed. */
const MAX_WRITTEN = 50_000_000;
const PARAMETER_LENGTH = 20;
/** Mistakes that are told: to find a line takes as long as the document is. */
const MAX_MISTAKES = 100;
/** References in a row. */
const MAX_STEPS = 50;
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'query'] as const;
const SCHEMAS = '#/components/schemas/';

/**
 * Reads a document; `report` is called for mistakes in parts of it. Returns a mistake where it is none at all. Throws `OpenapiTooLarge`.
 */
export async function readOpenapi(
  text: string,
  report: (mistake: OpenapiMistake) => void,
): Promise<OpenapiDocument | OpenapiMistake> {
  const yaml = await parseYaml(text, MAX_LENGTH);
  if ('reason' in yaml) return { line: yaml.line, message: `Not valid YAML or JSON: ${yaml.reason}` };
  const { data, lineOf } = yaml;
  if (!isFields(data))
    return { line: 1, message: 'The document must be a map with the keys "openapi", "info" and "paths"' };
  const version = String(data.openapi ?? '');
  if (data.swagger !== undefined) {
    return { line: lineOf(['swagger']), message: 'OpenAPI 2 (Swagger) is not read; convert the document to OpenAPI 3' };
  }
  if (!/^3\.[0-2](?:\.|$)/.test(version)) {
    return { line: lineOf(['openapi']), message: `Key "openapi" must be a version from 3.0 to 3.2, not "${version}"` };
  }
  if (!isFields(data.info) || typeof data.info.title !== 'string') {
    return { line: lineOf(['info']), message: 'Key "info" must be a map with a "title"' };
  }
  let written = 0;
  const spend = (characters: number): void => {
    written += characters;
    if (written > MAX_WRITTEN)
      throw new OpenapiTooLarge(`with its references followed, it has more than ${MAX_WRITTEN} characters`);
  };
  let mistakes = 0;
  const tell = (findLine: () => number, message: string): void => {
    if (++mistakes <= MAX_MISTAKES) report({ line: findLine(), message });
  };
  const broken = new Set<string>();
  const resolve = (value: unknown): Fields | undefined => {
    let found = value;
    for (let step = 0; isFields(found) && typeof found.$ref === 'string'; step++) {
      const { $ref } = found;
      found = step < MAX_STEPS ? follow(data, $ref) : undefined;
      if (found !== undefined || broken.has($ref)) continue;
      broken.add($ref);
      const message = $ref.startsWith('#')
        ? `Reference "${$ref}" leads nowhere`
        : `Reference "${$ref}" leads to another document, which is not read: put it under "components"`;
      tell(() => lineOfText(text, $ref), message);
    }
    return isFields(found) ? found : undefined;
  };
  const operations: Operation[] = [];
  for (const [path, given] of Object.entries(isFields(data.paths) ? data.paths : {})) {
    if (!path.startsWith('/')) {
      if (!path.startsWith('x-')) tell(() => lineOf(['paths', path]), `Path "${path}" must begin with "/"`);
      continue;
    }
    const item = resolve(given);
    if (!item) continue;
    // Many paths may be the same one.
    if (item !== given) spend(JSON.stringify(item).length);
    for (const method of METHODS) {
      const fields = resolve(item[method]);
      if (!fields) continue;
      if (operations.length >= MAX_OPERATIONS) {
        report({ line: lineOf(['paths', path]), message: `Only the first ${MAX_OPERATIONS} operations are shown` });
        return { root: data, operations, resolve, schemaName, spend };
      }
      const parameters = joinParameters([item.parameters, fields.parameters], resolve);
      spend(PARAMETER_LENGTH * parameters.length);
      const [tag] = toList(fields.tags).filter((one) => typeof one === 'string');
      operations.push({ method: method.toUpperCase(), path, fields, parameters, tag });
    }
  }
  const isEmpty = Object.keys(isFields(data.paths) ? data.paths : {}).length === 0;
  if (isEmpty && data.webhooks === undefined && data.components === undefined) {
    report({ line: lineOf(['paths']), message: 'The document has no operations: "paths" is empty' });
  }
  return { root: data, operations, resolve, schemaName, spend };
}

function schemaName(value: unknown): string | undefined {
  const ref = isFields(value) ? value.$ref : undefined;
  if (typeof ref !== 'string' || !ref.startsWith(SCHEMAS)) return undefined;
  const name = decodePointer(ref.slice(SCHEMAS.length));
  return name.includes('/') ? undefined : name;
}

/** Those of an operation replace those of its path. */
function joinParameters(lists: readonly unknown[], resolve: OpenapiDocument['resolve']): readonly Fields[] {
  const byName = new Map<string, Fields>();
  for (const one of lists.flatMap(toList)) {
    const parameter = resolve(one);
    if (parameter) byName.set(`${String(parameter.in)} ${String(parameter.name)}`, parameter);
  }
  return [...byName.values()];
}

/** Follows a JSON pointer, `#/components/schemas/User`; only through what maps and lists have of their own. */
function follow(root: Fields, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodePointer(part);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Fields)[key];
  }
  return found;
}

function decodePointer(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign of its own.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function lineOfText(text: string, part: string): number {
  const at = text.indexOf(part);
  return at < 0 ? 0 : text.slice(0, at).split('\n').length;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a text, or what else stands there as one; '' where there is nothing. */
export function toText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}
