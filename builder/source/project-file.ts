import type * as z from 'zod';
import type { NavEntry, ProjectFile } from './project-file-schema.ts';
import type { LineOf } from './text/data-values.ts';
import { parseYaml } from './text/parse-yaml.ts';

/** The file's name at the repository's root. */
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
  const { projectFileSchema } = await import('./project-file-schema.ts');
  const data = structuredClone(yaml.data) as Record<string, unknown>;
  const problems = new Map<string, ProjectFileProblem>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = projectFileSchema.safeParse(data);
    if (result.success) {
      return { project: locateEntries(result.data, data, lineOf), problems: sortByLine(problems.values()) };
    }
    const { issues } = result.error;
    // A mistyped key is also a missing one; report the former.
    const unknown = issues.filter(({ code }) => code === 'unrecognized_keys');
    const found = unknown.length > 0 ? unknown : issues;
    for (const { path, message, unknownKey } of found.flatMap(describeIssue)) {
      const full = unknownKey === undefined ? path : [...path, unknownKey];
      const name = full.join('.');
      const said = unknownKey === undefined ? `Key "${name}": ${message}` : `Unknown key "${name}"`;
      problems.set(name, { line: lineOf(full), message: said });
    }
    for (const issue of found) leaveOut(data, issue);
  }
  return { project: { markdown: { html: 'safe' } }, problems: sortByLine(problems.values()) };
}

/** Returns the line of a project file, from 1, at which it has the key or item at a path; 0 where that cannot be told. */
export async function findProjectLine(text: string, path: readonly PropertyKey[]): Promise<number> {
  const yaml = await parseYaml(text, MAX_LENGTH);
  return 'reason' in yaml ? 0 : yaml.lineOf(path);
}

/** Adds lines to what can only be checked against pages: navigation and redirects. `data` is what they were read from. */
function locateEntries(project: ProjectFile, data: Record<string, unknown>, lineOf: LineOf): ProjectFile {
  const { nav, redirects } = project;
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

/** Returns an error in the author's terms; for a value with several forms, that of the closest match. */
function describeIssue(issue: z.core.$ZodIssue): readonly Issue[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((unknownKey) => ({ path, message: '', unknownKey }));
  if (issue.code === 'invalid_union') {
    const forms = issue.errors.flatMap((issues) => describeIssue(issues[0]!));
    const [furthest] = forms.sort((a, b) => b.path.length - a.path.length);
    if (furthest && furthest.path.length > 0) return [{ ...furthest, path: [...path, ...furthest.path] }];
  }
  return [{ path, message: message.replace(/^Invalid input: /, '') }];
}
