import { BuildError } from '../build-error.ts';

/** A page's file taken apart: its front matter as YAML has it, and the rest. */
export interface SplitPage {
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file, from 1, at which `body` begins. */
  readonly firstLine: number;
}

const NONE: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Takes the YAML between two lines `---` off the top of a page. A page that begins with a thematic break has none.
 * Throws `front-matter` with the line of the file when it is not closed, not YAML or not a map.
 */
export async function splitFrontMatter(text: string): Promise<SplitPage> {
  if (!/^---[ \t]*\n/.test(text)) return { data: NONE, body: text, firstLine: 1 };
  const start = text.indexOf('\n') + 1;
  const close = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(start));
  if (!close) {
    if (!/^[\w-]+[ \t]*:/.test(text.slice(start))) return { data: NONE, body: text, firstLine: 1 };
    throw new BuildError('front-matter', 'Front matter is not closed by a line "---"', { location: { line: 1 } });
  }
  const yaml = text.slice(start, start + close.index);
  const bodyStart = Math.min(start + close.index + close[0].length + 1, text.length);
  return {
    data: await parseMap(yaml, 1),
    body: text.slice(bodyStart),
    firstLine: 2 + countNewlines(yaml) + 1,
  };
}

async function parseMap(yaml: string, linesBefore: number): Promise<Readonly<Record<string, unknown>>> {
  if (yaml.trim() === '') return NONE;
  const { parseDocument, isMap } = await import('yaml');
  const document = parseDocument(yaml, { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = (error.linePos?.[0].line ?? 1) + linesBefore;
    const [reason] = error.message.split(' at line ');
    throw new BuildError('front-matter', `Front matter is not valid YAML: ${reason}`, {
      cause: error,
      location: { line },
    });
  }
  if (document.contents === null) return NONE;
  if (!isMap(document.contents)) {
    throw new BuildError('front-matter', 'Front matter must be a map of names to values, such as "title: Guide"', {
      location: { line: linesBefore + 1 },
    });
  }
  // `maxAliasCount` keeps a "billion laughs" document small.
  return document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
