import type * as z from 'zod';
import { findMeant } from '../../lib/similar-names.ts';
import type { LineOf } from '../config/data-values.ts';
import { parseYaml } from '../config/parse-yaml.ts';
import type { createProjectFileSchema, NavEntry } from './project-file-schema.ts';
import { type ProjectFile, SITE_OPTIONS, type SiteOption } from './site-options.ts';

export const PROJECT_FILE_NAME = '.docbuild.yml';
/** Size limit of a project file, in characters. */
const MAX_LENGTH = 1_000_000;

/** An error in a project file; `line` counts from 1. */
export interface ProjectFileProblem {
  readonly line: number;
  readonly message: string;
}

/** Limit of keys that are dropped one after the other until the rest is valid. */
const MAX_ROUNDS = 50;
const MAX_PROBLEMS = 50;

/**
 * Reads the text of a `.docbuild.yml`. Returns the valid part and the errors in the rest: YAML that does not parse, keys
 * that are unknown or may not be set there (secrets, hooks, domain, URL), values of the wrong kind. If it is unclear
 * whether raw HTML is allowed, it is sanitised.
 */
export async function parseProjectFile(
  text: string,
): Promise<{ readonly project: ProjectFile; readonly problems: readonly ProjectFileProblem[] }> {
  const yaml = await parseYaml(text, MAX_LENGTH);
  if ('reason' in yaml) return unusable(`Not valid YAML: ${yaml.reason}`, yaml.line);
  const { lineOf } = yaml;
  if (yaml.data === undefined) return { project: {}, problems: [] };
  if (Object.getPrototypeOf(yaml.data) !== Object.prototype) {
    return unusable('The file must be a map of keys to values, such as "title: Guide"', 1);
  }
  const projectFileSchema = await loadProjectFileSchema();
  const data = structuredClone(yaml.data) as Record<string, unknown>;
  const problems = new Map<string, ProjectFileProblem>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await projectFileSchema.safeParseAsync(data);
    if (result.success) {
      return {
        project: locateEntries(result.data as ProjectFile, data, lineOf),
        problems: sortByLine(problems.values()),
      };
    }
    const { issues } = result.error;
    // A mistyped key is also a missing one; report the former.
    const unknown = issues.filter(({ code }) => code === 'unrecognized_keys');
    const found = unknown.length > 0 ? unknown : issues;
    for (const issue of found.flatMap((one) => describeIssue(one, projectFileSchema))) {
      const { path, unknownKey } = issue;
      const full = unknownKey === undefined ? path : [...path, unknownKey];
      const message =
        unknownKey === undefined ? wordWrongValue(issue, data) : wordUnknownKey(path, unknownKey, projectFileSchema);
      problems.set(full.join('.'), { line: lineOf(full), message });
    }
    for (const issue of found) leaveOut(data, issue);
  }
  return { project: { markdown: { html: 'safe' } }, problems: sortByLine(problems.values()) };
}

let loading: Promise<ReturnType<typeof createProjectFileSchema>> | undefined;

/** Loads the schema of the file: without such a file, a command does without the library that it is made of. */
export function loadProjectFileSchema(): NonNullable<typeof loading> {
  loading ??= import('./project-file-schema.ts').then((module) => {
    const options = Object.values<SiteOption>(SITE_OPTIONS).flatMap(({ key, check }) =>
      key === undefined || check === undefined ? [] : [[key, check] as const],
    );
    return module.createProjectFileSchema(new Map(options));
  });
  return loading;
}

/** Returns the line of a project file, from 1, at which it has the key or item at a path; 0 where that cannot be told. */
export async function findProjectLine(text: string, path: readonly PropertyKey[]): Promise<number> {
  const yaml = await parseYaml(text, MAX_LENGTH);
  return 'reason' in yaml ? 0 : yaml.lineOf(path);
}

/** Adds lines to what can only be checked against pages: navigation and redirects. `data` is what they were read from. */
function locateEntries(project: ProjectFile, data: Record<string, unknown>, lineOf: LineOf): ProjectFile {
  const { nav, redirects, extensions } = project;
  const ofExtensions = Object.entries(extensions ?? {}).flatMap(([name, value]) =>
    Object.keys(value ?? {}).map((key) => [`${name}.${key}`, lineOf(['extensions', name, key])] as const),
  );
  const locate = (entries: readonly NavEntry[], items: unknown, path: readonly PropertyKey[]): NavEntry[] =>
    entries.map((entry, at) => {
      const item: unknown = Array.isArray(items) ? items[at] : undefined;
      const place = [...path, at];
      const line = lineOf(place);
      if (typeof item !== 'object' || item === null) return { ...entry, line };
      const own = item as Record<string, unknown>;
      const key = ['children', 'path', 'folder'].find((name) => name in own) ?? Object.keys(own)[0]!;
      const lineOfTarget = lineOf([...place, 'path' in own ? 'path' : key]);
      const below = 'children' in own ? 'children' : key;
      return { ...entry, line: lineOfTarget, children: locate(entry.children, own[below], [...place, below]) };
    });
  return {
    ...project,
    ...(nav && { nav: locate(nav, data.nav, ['nav']) }),
    ...(ofExtensions.length > 0 && { extensionLines: Object.fromEntries(ofExtensions) }),
    ...(redirects && {
      redirectLines: Object.fromEntries(Object.keys(redirects).map((key) => [key, lineOf(['redirects', key])])),
    }),
  };
}

function unusable(message: string, line: number) {
  return { project: { markdown: { html: 'safe' } }, problems: [{ line, message }] } as const;
}

function sortByLine(problems: Iterable<ProjectFileProblem>): readonly ProjectFileProblem[] {
  return [...problems].sort((a, b) => a.line - b.line).slice(0, MAX_PROBLEMS);
}

/** Removes unknown keys, and whole values that contain an error. */
function leaveOut(data: Record<string, unknown>, issue: z.core.$ZodIssue): void {
  const [top] = issue.path;
  // An earlier issue may have taken away what this one is about.
  const owner = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    data,
  );
  if (owner === undefined && issue.code === 'unrecognized_keys') return;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (unknown.length > 0 && unknown.every((key) => Reflect.deleteProperty(owner as object, key))) return;
  if (top === 'markdown') data[top] = { html: 'safe' };
  else if (top !== undefined) delete data[String(top)];
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly unknownKey?: string | undefined;
}

/** Returns an issue with its path; of a value with several forms, that of the form which its author probably meant. */
function describeIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType): readonly Issue[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((unknownKey) => ({ path, message: '', unknownKey }));
  if (issue.code === 'invalid_union') {
    const forms = issue.errors
      .flatMap((issues) => describeIssue(issues[0]!, schema))
      .map((form) => ({ ...form, path: [...path, ...form.path] }));
    const [furthest] = forms.sort((a, b) => b.path.length - a.path.length);
    if (furthest && furthest.path.length > path.length) return [furthest];
    const mistyped = forms.find(({ unknownKey }) => unknownKey && findMeant(unknownKey, listKeys(schema, path)));
    if (mistyped) return [mistyped];
  }
  return [{ path, message: wordIssue(issue) }];
}

/** Kinds of values in words, by the names that schemas have for them. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map of keys to values',
  record: 'a map of keys to values',
};

/** Returns the requirement that is not met, as words behind the key; a schema's own words come first. */
function wordIssue(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  const unit = 'origin' in issue && issue.origin === 'string' ? 'characters' : 'entries';
  if (issue.code === 'invalid_type' && message.startsWith('Invalid input: ')) {
    return `must be ${KINDS[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === 'too_big' && message.startsWith('Too big: ')) {
    return issue.origin === 'number'
      ? `must be at most ${issue.maximum}`
      : `must not have more than ${issue.maximum} ${unit}`;
  }
  if (issue.code === 'too_small' && message.startsWith('Too small: ')) {
    return issue.origin === 'number'
      ? `must be at least ${issue.minimum}`
      : `must have at least ${issue.minimum} ${unit}`;
  }
  if (issue.code === 'invalid_value' && message.startsWith('Invalid ')) {
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  }
  return message.replace(/^Invalid input: /, '');
}

/** Returns a complaint that names key, requirement and value: `"single" must be true or false, not "yes"`. */
function wordWrongValue({ path, message }: Issue, data: unknown): string {
  const name = nameOf(path);
  const isBelow = (value: unknown): value is Record<PropertyKey, unknown> =>
    typeof value === 'object' && value !== null;
  // A text may stand for a list.
  const value = path.reduce<unknown>((above, key) => (isBelow(above) ? above[key] : above), data);
  const subject = typeof path.at(-1) === 'number' ? `An item of "${name}"` : `"${name}"`;
  if (value === undefined) return `${subject} is missing, and ${message}`;
  if (value === null) return `${subject} is empty, and ${message}`;
  if (message.startsWith('is not ')) return `"${name}" has ${show(value)}, which ${message}`;
  if (!message.startsWith('must be ')) return `${subject} ${message}`;
  const advice =
    message.startsWith('must be a text') && typeof value === 'number' ? `: put it in quotes, "${value}"` : '';
  return `${subject} ${message}, not ${show(value)}${advice}`;
}

/** Keys of one level that are all told where none is like an unknown one. */
const MAX_TOLD = 20;

function wordUnknownKey(path: readonly PropertyKey[], key: string, schema: z.core.$ZodType): string {
  const said = `Unknown key "${nameOf([...path, key])}"`;
  const beside = listKeys(schema, path);
  const meant = findMeant(key, beside);
  if (meant !== undefined) return `${said}: did you mean "${meant}"?`;
  const top = listKeys(schema, []);
  if (path.length > 0 && top.includes(key)) return `${said}: "${key}" is a key of the whole file`;
  const group = path.length > 0 ? undefined : top.find((name) => listKeys(schema, [name]).includes(key));
  if (group !== undefined) return `${said}: did you mean "${group}.${key}"?`;
  const flag = (SITE_OPTIONS as Readonly<Record<string, SiteOption>>)[key]?.flag;
  if (path.length === 0 && flag !== undefined) return `${said}: it is set by ${flag.replace(/^-\w, | .*/gs, '')}`;
  const isTold = path.length > 0 && beside.length > 0 && beside.length <= MAX_TOLD;
  return isTold ? `${said}: "${nameOf(path)}" may have ${[...beside].sort().join(', ')}` : said;
}

/** Returns the keys that the map at a path of a project file may have. */
function listKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...below] = path;
  if (def.type === 'optional') return listKeys(def.innerType, path);
  if (def.type === 'pipe') return listKeys(def.in, path);
  if (def.type === 'lazy') return listKeys(def.getter(), path);
  if (def.type === 'union') return [...new Set(def.options.flatMap((option) => listKeys(option, path)))];
  if (def.type === 'object' && key === undefined) return Object.keys(def.shape);
  if (key === undefined) return [];
  if (def.type === 'array') return listKeys(def.element, below);
  if (def.type === 'record') return listKeys(def.valueType, below);
  const isKnown = def.type === 'object' && Object.hasOwn(def.shape, key);
  return isKnown ? listKeys(def.shape[String(key)]!, below) : [];
}

/** Returns a path as an author thinks of it; the places in lists are told by the line. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.filter((key) => typeof key !== 'number').join('.');
}

const MAX_SHOWN = 60;

/** Returns a value as YAML writes it in one line, shortened. */
function show(value: unknown): string {
  const written = write(value);
  return written.length > MAX_SHOWN ? `${written.slice(0, MAX_SHOWN)}…` : written;
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.slice(0, MAX_SHOWN).map(write).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN + 1)) : String(value);
  const entries = Object.entries(value).slice(0, MAX_SHOWN);
  return `{${entries.map(([key, entry]) => `${key}: ${write(entry)}`).join(', ')}}`;
}
