import { BuildError } from '../build-error.ts';
import { parseYaml } from './parse-yaml.ts';

/** A page's file taken apart: its front matter as YAML has it, and the rest. */
export interface SplitPage {
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Line of the file, from 1, at which `body` begins. */
  readonly firstLine: number;
}

const NONE: Readonly<Record<string, unknown>> = Object.freeze({});
/** Longest front matter in characters. */
const MAX_LENGTH = 200_000;

/**
 * Takes the YAML between two lines `---` off the top of a page. A page that begins with a thematic break has none: what
 * follows an empty line must be a map to be front matter.
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
  const parsed = await readMap(yaml);
  // To YAML, a heading is a comment: what holds nothing else is text, too.
  const isMap = !(parsed instanceof BuildError) && (yaml.trim() === '' || Object.keys(parsed).length > 0);
  if (!isMap && /^[ \t]*\n/.test(yaml)) return { data: NONE, body: text, firstLine: 1 };
  if (parsed instanceof BuildError) throw parsed;
  return { data: parsed, body: text.slice(bodyStart), firstLine: 2 + countNewlines(yaml) + 1 };
}

/** What the same text gave before: pages of a site often have the same few lines, and reading YAML takes long. */
const known = new Map<string, Readonly<Record<string, unknown>>>();
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 1000;

async function readMap(text: string): Promise<Readonly<Record<string, unknown>> | BuildError> {
  const before = known.get(text);
  if (before) return before;
  const parsed = await parseMap(text, 1);
  if (parsed instanceof BuildError || text.length > MAX_KNOWN_LENGTH) return parsed;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, parsed);
  return parsed;
}

async function parseMap(text: string, linesBefore: number): Promise<Readonly<Record<string, unknown>> | BuildError> {
  if (text.trim() === '') return NONE;
  const yaml = await parseYaml(text, MAX_LENGTH);
  if ('reason' in yaml) {
    const location = { line: linesBefore + yaml.line };
    return new BuildError('front-matter', `Front matter is not valid YAML: ${yaml.reason}`, {
      cause: yaml.cause,
      location,
    });
  }
  const { data } = yaml;
  if (data === undefined) return NONE;
  if (typeof data !== 'object' || Array.isArray(data)) {
    return new BuildError('front-matter', 'Front matter must be a map of names to values, such as "title: Guide"', {
      location: { line: linesBefore + 1 },
    });
  }
  return data as Record<string, unknown>;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
