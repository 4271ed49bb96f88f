import { BuildError } from '../build-error.ts';
import { parseLanguageTag } from './language-tag.ts';

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

/**
 * Reads the text of a `.docbuild.yml`. Throws `project-file` with the line for YAML that does not parse, for a key that
 * is unknown or may not be set there (secrets, hooks, domain, URL), and for a value of the wrong kind.
 */
export async function parseProjectFile(text: string): Promise<ProjectFile> {
  const { parseDocument, LineCounter, isNode } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error) {
    const [reason] = error.message.split(' at line ');
    throw fail(`Not valid YAML: ${reason}`, lines.linePos(error.pos[0]).line, error);
  }
  const data: unknown = document.toJS({ maxAliasCount: 100 });
  if (data === null || data === undefined) return {};
  const { projectFileSchema } = await import('./project-file-schema.ts');
  const result = projectFileSchema.safeParse(data);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
  const message =
    issue.code === 'unrecognized_keys'
      ? `Unknown key "${path.join('.')}"`
      : `Key "${path.join('.')}": ${issue.message.replace(/^Invalid input: /, '')}`;
  const node = path.length > 0 ? nodeAt(path) : undefined;
  throw fail(message, isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1);

  function nodeAt(at: readonly PropertyKey[]): unknown {
    for (let length = at.length; length > 0; length--) {
      const found = document.getIn(at.slice(0, length), true);
      if (isNode(found)) return found;
    }
    return undefined;
  }
}

/** Tells whether a code may stand in `lang`; used by the schema and by the command line. */
export function isLanguageCode(code: string): boolean {
  return parseLanguageTag(code) !== undefined;
}

function fail(message: string, line: number, cause?: unknown): BuildError {
  return new BuildError('project-file', message, { cause, location: { file: PROJECT_FILE_NAME, line } });
}
