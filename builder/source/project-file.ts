import type { z } from 'zod';
import { BuildError } from '../build-error.ts';
import { parseYaml } from './parse-yaml.ts';

/** One entry of the author's navigation: a page, a link, or a titled group. */
export interface NavEntry {
  readonly title: string | undefined;
  /** Path of a page below the language's folder, or an absolute address. */
  readonly path: string | undefined;
  readonly children: readonly NavEntry[];
}

/** What `.docbuild.yml` says; a key that is absent is undefined. */
export interface ProjectFile {
  readonly title?: string | undefined;
  readonly sourceDir?: string | undefined;
  readonly lang?: readonly string[] | undefined;
  readonly latest?: string | undefined;
  readonly single?: boolean | undefined;
  readonly nav?: readonly NavEntry[] | undefined;
  readonly excluded?: string | undefined;
  readonly redirects?: Readonly<Record<string, string>> | undefined;
  readonly theme?:
    | {
        readonly accent?: string | undefined;
        readonly logo?: string | undefined;
        readonly links?: readonly { readonly title: string; readonly url: string }[] | undefined;
        readonly footer?: string | undefined;
      }
    | undefined;
  readonly markdown?:
    | {
        readonly math?: boolean | undefined;
        readonly mermaid?: boolean | undefined;
        readonly emoji?: boolean | undefined;
        readonly html?: 'raw' | 'safe' | undefined;
      }
    | undefined;
}

/** The file's name at the repository's root. */
export const PROJECT_FILE_NAME = '.docbuild.yml';
/** Longest project file in characters. */
const MAX_LENGTH = 1_000_000;

/**
 * Reads the text of a `.docbuild.yml`. Throws `project-file` with the line for YAML that does not parse, for a key that
 * is unknown or may not be set there (secrets, hooks, domain, URL), and for a value of the wrong kind.
 */
export async function parseProjectFile(text: string): Promise<ProjectFile> {
  const yaml = await parseYaml(text, MAX_LENGTH);
  if ('reason' in yaml) throw fail(`Not valid YAML: ${yaml.reason}`, yaml.line, yaml.cause);
  const { data, lineOf } = yaml;
  if (data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data)) {
    throw fail('The file must be a map of keys to values, such as "title: Guide"', 1);
  }
  const { projectFileSchema } = await import('./project-file-schema.ts');
  const result = projectFileSchema.safeParse(data);
  if (result.success) return result.data;
  const { issues } = result.error;
  // A mistyped key is also a missing one; the first is what to mend.
  const { path, message, unknownKey } = describeIssue(
    issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!,
  );
  if (unknownKey !== undefined) {
    const full = [...path, unknownKey];
    throw fail(`Unknown key "${full.join('.')}"`, lineOf(full));
  }
  throw fail(`Key "${path.join('.')}": ${message}`, lineOf(path));
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly unknownKey?: string | undefined;
}

/** Gives what is wrong in the author's terms; where a value may have several forms, the one that fits furthest says it. */
function describeIssue(issue: z.core.$ZodIssue): Issue {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') return { path, message: '', unknownKey: issue.keys[0] };
  if (issue.code === 'invalid_union') {
    const forms = issue.errors.map((issues) => describeIssue(issues[0]!)).sort((a, b) => b.path.length - a.path.length);
    const [furthest] = forms;
    if (furthest && furthest.path.length > 0) return { ...furthest, path: [...path, ...furthest.path] };
  }
  return { path, message: message.replace(/^Invalid input: /, '') };
}

function fail(message: string, line: number, cause?: unknown): BuildError {
  return new BuildError('project-file', message, { cause, location: { file: PROJECT_FILE_NAME, line } });
}
