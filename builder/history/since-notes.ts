import { escapeHtml } from '../../lib/html-text.ts';

/** A note of an author that says with which version something came: the line in the file, from 1, and what it stands below. */
export interface SinceNote {
  readonly line: number;
  readonly version: string;
  /** Text of the heading as it is written, without its marks; '' = the page's beginning. */
  readonly heading: string;
  /** The id that the heading gives itself, if any. */
  readonly id: string | undefined;
  /** How many headings of the same text stand above it. */
  readonly before: number;
}

const VERSION = String.raw`(\d{1,6}(?:\.\d{1,6}){0,4}(?:-?(?:alpha|beta|rc|pre|dev)[.-]?\d{0,6})?)(?![\w%]|[.,]\d)`;
/** Words before a version that say that something is newer than what came before, at the beginning of a text. */
const WORDS = [
  '(?:(?:newly )?(?:added|new|introduced|available|first available|supported)(?: in| since| from| with| as of| starting (?:in|with))|since|as of|starting (?:in|with|from))',
  'seit|neu (?:in|seit)|ab|hinzugefügt in',
  'depuis|nouveau dans|ajouté(?:e)? (?:dans|en)|à partir de',
  'desde|nuevo en|añadid[oa] en|novo em|adicionad[oa] em|disponible desde|disponível desde',
  '自|新增于|新增於|始于|始於|添加于|从',
  'начиная с|с|добавлено в|новое в',
  '에서 추가',
].join('|');
const STATED = new RegExp(
  String.raw`^(?:${WORDS})[\s:]{0,3}(?:the |la |a |der )?(?:(version|release|versión|versão|версии|版本)[\s:]{0,3})?(v\.?\s?)?${VERSION}`,
  'i',
);
/** The word stands behind the version. */
const STATED_AFTER = new RegExp(String.raw`^(v\.?)?${VERSION}\s{0,2}(?:以降|から|で追加|부터|에서 추가|起|以上)`, 'i');
/** The text of badges. */
const OPEN = new RegExp(String.raw`^(?:(?:>=|≥)\s{0,2}v?${VERSION}|v?${VERSION}\s?\+)$`, 'i');
const LEADING = /^[\s*_~`>(["'[|•·:—–-]+/;

/**
 * Returns the version that a plain text begins with as that of a novelty (`Added in version 1.2`, `Since v1.3`, `New in 2.0`);
 * undefined where it says something else. A number without a point is a version only after the word or a `v`.
 */
function findStated(text: string): string | undefined {
  const own = text.slice(0, 200).replace(LEADING, '');
  const [, word, sign, version] = STATED.exec(own) ?? [];
  if (version !== undefined) return version.includes('.') || word || sign ? version : undefined;
  const [, before, other] = STATED_AFTER.exec(own) ?? [];
  return other !== undefined && (other.includes('.') || before) ? other : undefined;
}

/** Returns the version that a badge states; `1.3+` and `>= 1.3` are statements, `^1.3` and `1.3` may be anything. */
function findBadge(text: string): string | undefined {
  const [, least, open] = OPEN.exec(text.trim()) ?? [];
  return least ?? open ?? findStated(text);
}

/** Returns what a heading says of itself: in a badge, or in brackets at its end. */
function findInHeading(text: string, badges: readonly string[]): string | undefined {
  const own = /[([（]([^()[\]（）]{1,80})[)\]）]\s*$/.exec(text.slice(-100))?.[1];
  return [...badges, ...(own === undefined ? [] : [own])].map(findBadge).find((found) => found !== undefined);
}

/** Beginnings of lines that stand before the words of a note, and what follows is a version by itself. */
const DIRECTIVE =
  /^(?:`{3,}|~{3,}|:{3,})\s?\{versionadded\}\s*v?([\d.]+)|^\.\. versionadded::\s*v?([\d.]+)|^!!!\s+versionadded\s+"v?([\d.]+)|^<!--\s*md:version\s+v?([\d.]+)/i;
const OPENING = /^(?:!!!|\?\?\?\+?|:{3,})\s*[\w-]*\s*/;
const BADGE = /<Badge\b[^<>]{0,300}?\btext=["']([^"'<>]{1,100})["']/gi;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(?!\s?\{versionadded\})/;

/** Most notes of a page that are looked at. */
const MAX_NOTES = 500;
/** Lines behind a heading among which its note begins. */
const NEAR = 4;

/**
 * Returns the notes in a page's Markdown that stand in a heading or right below one, in its first block: `versionadded` of Sphinx and
 * MyST, callouts and sentences such as "Added in version 1.2", badges such as `1.3+`. Takes time in proportion to the length of the text.
 */
export function findSinceNotes(text: string, firstLine = 1): readonly SinceNote[] {
  const notes: SinceNote[] = [];
  const seen = new Map<string, number>();
  let place: Pick<SinceNote, 'heading' | 'id' | 'before'> = { heading: '', id: undefined, before: 0 };
  let left = NEAR;
  let fence: string | undefined;
  let at = firstLine - 1;
  for (const line of text.split('\n')) {
    at++;
    if (notes.length >= MAX_NOTES) break;
    const own = line.slice(0, 1_000).trimEnd();
    if (fence !== undefined) {
      if (own.trimStart().startsWith(fence) && /^[`~\s]+$/.test(own)) fence = undefined;
      continue;
    }
    const [, mark] = FENCE.exec(own) ?? [];
    if (mark !== undefined) {
      fence = mark;
      left = 0;
      continue;
    }
    const [, , written] = HEADING.exec(own) ?? [];
    if (written !== undefined) {
      const id = /\{\s*#([^\s{}]+)(?:\s[^{}]*)?\}\s*$/.exec(written)?.[1];
      const heading = written
        .replace(/\{[^{}]{0,400}\}\s*$/, '')
        .replace(/\s#+\s*$/, '')
        .trim();
      const bare = bareWords(heading);
      place = { heading, id, before: seen.get(bare) ?? 0 };
      seen.set(bare, place.before + 1);
      left = NEAR;
      const version = findInHeading(heading, listBadges(heading));
      if (version === undefined) continue;
      notes.push({ ...place, line: at, version });
      left = 0;
      continue;
    }
    if (left === 0 || own.trim() === '') continue;
    left--;
    const version = findInLine(own.trim());
    if (version === undefined) {
      // A callout without a title says it in its first line.
      if (!/^(?:!!!|\?\?\?|:{3,}|>|<)/.test(own.trim())) left = 0;
      continue;
    }
    notes.push({ ...place, line: at, version });
    left = 0;
  }
  return notes;
}

function listBadges(line: string): readonly string[] {
  return [...line.matchAll(BADGE)].map(([, text]) => text!);
}

function findInLine(line: string): string | undefined {
  const directive = DIRECTIVE.exec(line)
    ?.slice(1)
    .find((found) => found !== undefined);
  if (directive !== undefined) return directive.replace(/\.$/, '');
  const words = line.replace(OPENING, '').replace(/<(?!Badge)[^<>]{0,200}>/gi, '');
  return findStated(words) ?? (/^<Badge\b/i.test(words) ? listBadges(words).map(findBadge)[0] : undefined);
}

/** Returns a heading as it can be compared: letters and numbers of its words, without marks, tags and targets of links. */
export function bareWords(heading: string): string {
  return heading
    .replace(/<[^<>]*>|\]\([^()]*\)/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

/** A badge of a heading: plain texts. */
export interface SinceBadge {
  readonly text: string;
  readonly title: string;
}

/** Headings as the renderer writes them; what stands in quotes has no `<`, so that each is looked at once. */
const OPEN_HEADING = /<h([1-6])((?:\s+[\w:.-]+(?:="[^"<]*")?)*)\s*>/g;
/** HTML behind a heading among which its author's own note begins. */
const NEAR_HTML = 600;

/**
 * Puts badges into the headings of a page's HTML: `find` returns that of a section by its id, '' = that of the page's title. A heading
 * that says the same as the one above it gets none, and none whose author says by himself since when it is there.
 */
export function markSince(html: string, find: (id: string) => SinceBadge | undefined): string {
  let marked = '';
  let done = 0;
  let isFirst = true;
  const above: { readonly level: number; readonly text: string | undefined }[] = [];
  const page = find('')?.text;
  for (const match of html.matchAll(OPEN_HEADING)) {
    const { 0: opening, index } = match;
    const level = Number(match[1]);
    const start = index + opening.length;
    if (start < done) continue;
    const end = html.indexOf(`</h${level}>`, start);
    if (end < 0) break;
    const isTitle = isFirst && level === 1;
    isFirst = false;
    const id = / id="([^"<]*)"/.exec(match[2]!)?.[1];
    const badge = isTitle ? find('') : id === undefined ? undefined : find(unescapeId(id));
    while (above.length > 0 && above.at(-1)!.level >= level) above.pop();
    const outer = above.length > 0 ? above.at(-1)!.text : isTitle ? undefined : page;
    above.push({ level, text: badge?.text ?? outer });
    if (!badge || badge.text === outer || hasOwnNote(html, start, end)) continue;
    const inner = html.slice(start, end);
    const anchor = inner.lastIndexOf(' <a class="anchor"');
    const place = anchor < 0 ? end : start + anchor;
    marked += `${html.slice(done, place)} <span class="since" title="${escapeHtml(badge.title)}">${escapeHtml(badge.text)}</span>`;
    done = place;
  }
  return marked + html.slice(done);
}

function hasOwnNote(html: string, start: number, end: number): boolean {
  const heading = html.slice(start, Math.min(end, start + 2_000)).replace(/<a class="anchor"[^<>]*>[^<]*<\/a>/, '');
  const badges = [...heading.matchAll(/<span class="badge [^"<>]*">([^<]{1,100})</g)].map(([, text]) =>
    plainText(text!),
  );
  if (findInHeading(plainText(heading).trim(), badges) !== undefined) return true;
  const [below = ''] = html.slice(end, end + NEAR_HTML).split(/<h[1-6][\s>]/);
  const badge = /^<\/h[1-6]>\s*(?:<p[^>]*>\s*)?<span class="badge [^"<>]*">([^<]{1,100})</.exec(below)?.[1];
  return (
    findStated(plainText(below).trim()) !== undefined ||
    (badge !== undefined && findBadge(plainText(badge)) !== undefined)
  );
}

function plainText(html: string): string {
  return html
    .replace(/<[^<>]*>?/g, '')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');
}

function unescapeId(id: string): string {
  return id
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');
}
