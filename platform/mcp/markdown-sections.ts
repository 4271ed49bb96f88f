import { createCodeFinder } from '../../lib/markdown-links.ts';

/** A heading of a page's Markdown with what stands below it. */
export interface MarkdownSection {
  /** As links to it have it where the heading says so, otherwise made of its words; '' = what stands above the first heading. */
  readonly id: string;
  readonly heading: string;
  /** 1 to 6; 0 for what stands above the first heading. */
  readonly level: number;
  /** Where it begins in the text, and where the next heading does. */
  readonly start: number;
  readonly end: number;
}

/** A page's Markdown. */
export interface MarkdownPage {
  /** Values of its front matter. */
  readonly meta: ReadonlyMap<string, string>;
  /** The text below the front matter. */
  readonly text: string;
  readonly sections: readonly MarkdownSection[];
}

/** A part of a page's text that is small enough to be sent. */
export interface TextPart {
  /** Id of the section it begins in, '' for the beginning of the page. */
  readonly id: string;
  readonly text: string;
  /** The section to ask for to read on; undefined = nothing follows. */
  readonly next: string | undefined;
  /** More of what was asked for follows; otherwise `next` is what comes after it. */
  readonly isCut: boolean;
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?\r?\n)?---(?:\r?\n|$)/;
const MAX_FRONT_MATTER = 20_000;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const HEADING_ID = /\{#([^\s{}]+)\}$/;

/** Reads a page's Markdown, in time that is linear in its length. */
export function parseMarkdownPage(source: string): MarkdownPage {
  const front = FRONT_MATTER.exec(source.slice(0, MAX_FRONT_MATTER));
  const text = front ? source.slice(front[0].length).replace(/^\s*\n/, '') : source;
  return { meta: readMeta(front?.[1] ?? ''), text, sections: readSections(text) };
}

/** Front matter has one value in each line, quoted as JSON or not at all. */
function readMeta(block: string): ReadonlyMap<string, string> {
  const meta = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([\w-]+):(.*)$/.exec(line.trimEnd()) ?? [];
    if (name !== undefined) meta.set(name, unquote(value.trim()));
  }
  return meta;
}

function unquote(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

function readSections(text: string): readonly MarkdownSection[] {
  const heads = [{ id: '', heading: '', level: 0, start: 0 }];
  /** Ids with the number for the next section that would have the same. */
  const taken = new Map<string, number>();
  const takeId = (wanted: string): string => {
    let id = wanted;
    for (let number = taken.get(wanted) ?? 1; taken.has(id); number++) {
      id = `${wanted}-${number}`;
      taken.set(wanted, number + 1);
    }
    taken.set(id, 1);
    return id;
  };
  const isCode = createCodeFinder();
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, next).trimEnd();
    const [before, signs] = isCode(line) || line.length > MAX_HEADING ? [] : (HEADING.exec(line) ?? []);
    if (signs !== undefined) {
      const words = withoutClosing(line.slice(before!.length));
      const own = HEADING_ID.exec(words)?.[1];
      const heading = words.replace(HEADING_ID, '').trimEnd();
      heads.push({ id: takeId(own ?? createId(heading)), heading, level: signs.length, start });
    }
    start = next;
  }
  const sections = heads.map((head, at) => ({ ...head, end: heads[at + 1]?.start ?? text.length }));
  return text.slice(0, sections[0]!.end).trim() === '' && sections.length > 1 ? sections.slice(1) : sections;
}

const MAX_HEADING = 2_000;

/** Returns the words of a heading without the signs that may close it. */
function withoutClosing(words: string): string {
  let end = words.length;
  while (words[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(words[end - 1]!) ? words.slice(0, end).trimEnd() : words;
}

/** Returns the id that GitHub, and docbuild where nothing else is written, makes of a heading. */
function createId(heading: string): string {
  const words = heading.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1').replace(/<[^<>]*>|[`*\\]/g, '');
  const id = words
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  return /[\p{L}\p{N}]/u.test(id) ? id : 'section';
}

/** Finds a section by its id, or by its heading as people may write it. */
export function findSection({ sections }: MarkdownPage, wanted: string): MarkdownSection | undefined {
  const plain = simplify(wanted);
  return (
    sections.find(({ id }) => id === wanted) ??
    sections.find(({ id, heading }) => simplify(id) === plain || (plain !== '' && simplify(heading) === plain))
  );
}

function simplify(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns a page, or a section with those below it, as far as it fits into `maxLength`. What is longer ends before a heading if it can.
 * `wanted` is '' for the page, the id of a section, or one that `next` of an earlier part named: `id~2` is the second part of a section
 * that is too long by itself. Undefined where there is no such section.
 */
export function selectPart(page: MarkdownPage, wanted: string, maxLength: number): TextPart | undefined {
  const { sections, text } = page;
  const [, name = wanted, number = '1'] = /^(.*)~(\d{1,6})$/.exec(wanted) ?? [];
  const exact = sections.find(({ id }) => id === wanted);
  const [asked, part] = exact ? [wanted, 1] : [name, Number(number)];
  const section = asked === '' ? sections[0] : findSection(page, asked);
  if (!section || part < 1) return undefined;
  const id = asked === '' ? '' : section.id;
  const at = sections.indexOf(section);
  const isWhole = wanted === '';
  const following = isWhole ? -1 : sections.findIndex(({ level }, other) => other > at && level <= section.level);
  const last = following === -1 ? sections.length : following;
  const continuing = sections[last]?.id;
  let { start } = section;
  for (let skipped = 1; skipped < part; skipped++) {
    if (section.end - start <= maxLength) return undefined;
    start = cutLine(text, start, start + maxLength);
  }
  const end = sections[last - 1]!.end;
  if (end - start <= maxLength) return { id, text: text.slice(start, end), next: continuing, isCut: false };
  const fitting = sections.slice(at + 1, last).findLast((one) => one.start > start && one.start <= start + maxLength);
  if (fitting) return { id, text: text.slice(start, fitting.start), next: fitting.id, isCut: true };
  const cut = cutLine(text, start, Math.min(start + maxLength, section.end));
  const isEnded = cut >= section.end;
  const follower = sections[at + 1]?.id;
  return { id, text: text.slice(start, cut), next: isEnded ? follower : `${section.id}~${part + 1}`, isCut: true };
}

/** Returns the end of the last line that fits, or where it must be cut. */
function cutLine(text: string, start: number, limit: number): number {
  const newline = text.slice(start, limit).lastIndexOf('\n');
  if (newline > 0) return start + newline + 1;
  // The halves of a sign outside of the basic plane stay together.
  const isPair = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '');
  return isPair ? limit - 1 : limit;
}
