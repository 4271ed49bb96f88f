import type { MarkdownIt } from 'markdown-it';
import { escapeText } from '../../lib/html-text.ts';
import type { Component, ExtensionMeter } from '../extension.ts';
import type { Generator } from '../generators/generators.ts';
import type { CodeBlock, Fragment, Heading, LinkSlot, PageExtra, WarningCode } from '../model.ts';

/** Something the author should know; `line` is the line in the page's file, from 1. */
export interface RenderWarning {
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** A code block in a draft: what to highlight, and how its lines are marked. */
export interface CodeSlot {
  readonly kind: 'code';
  readonly block: CodeBlock;
  /** Pairs of a line (from 0) and the classes of its span, in order of lines; other lines have no span. */
  readonly marks: readonly (readonly [line: number, classes: string])[];
  /** Parts of lines that are marked, in their order. */
  readonly spans?: readonly CodeSpan[] | undefined;
}

/** A part of a line of code, from its first sign to that behind its last one, and the element that marks it. */
export type CodeSpan = readonly [line: number, from: number, to: number, tag: 'ins' | 'del' | 'mark'];

/** A formula in a draft; a slot, so that sanitising the page leaves it alone and search finds its TeX. */
export interface FormulaSlot {
  readonly kind: 'formula';
  readonly tex: string;
  readonly html: string;
}

/** The source of a diagram, with lines in the page's file, from 1. */
export interface DiagramSource {
  readonly text: string;
  /** Of the block. */
  readonly line: number;
  /** Of the text's first line, if the page holds it. */
  readonly textLine: number | undefined;
}

/** A part of a draft that its HTML holds as a number. */
export type DraftSlot = LinkSlot | CodeSlot | FormulaSlot;

/**
 * A page rendered except for its code. As in `Fragment`, odd items of `html.split('\0')` are slot numbers; here a slot
 * may be a code block or a formula, too. Plain data: can be cloned, sent to a worker, written as JSON.
 */
export interface Draft {
  readonly html: string;
  readonly slots: readonly DraftSlot[];
  readonly headings: readonly Heading[];
  readonly title: string | undefined;
  readonly ids: readonly string[];
  readonly warnings: readonly RenderWarning[];
  readonly extras: readonly PageExtra[];
  readonly diagrams: readonly DiagramSource[];
}

export interface RenderInput {
  /** The page without its front matter. */
  readonly text: string;
  /** The page's title as plain text: its heading of level 1 if the text has none. */
  readonly title?: string | undefined;
  /** Whether a first heading that is above all others in level is the title, whatever its level. */
  readonly hasLooseLevels?: boolean;
  /** Number of the text's first line in the page's file, from 1. */
  readonly firstLine: number;
  /** Text of the page's included files, by path from the repository's root; see `findIncludes`. */
  readonly includes: ReadonlyMap<string, string>;
  /** The reasons why other files cannot be included, by path. */
  readonly unreadable?: ReadonlyMap<string, string>;
  /** Path of the page's file from the repository's root; needed for includes. */
  readonly pagePath?: string;
  /** Folder that `@/` means in an include, from the repository's root. Default: the root. */
  readonly sourceDir?: string;
  /** Folders from which the generator includes files, and names of folders in paths; see `listIncludePaths`. */
  readonly includeFolders?: readonly string[] | undefined;
  readonly aliases?: readonly (readonly [prefix: string, folder: string])[] | undefined;
  /** Files that are included at the end of the page, as `--8<--` names them. */
  readonly appended?: readonly string[] | undefined;
  /** The page's front matter as plain values, for templates that print them. */
  readonly frontMatter?: Readonly<Record<string, unknown>>;
  /** Values for templates: those of the site's configuration, and those of its data files by their names in `data`. */
  readonly site?: SiteValues | undefined;
  /** References without a definition lead to headings of any page. */
  readonly hasReferences?: boolean | undefined;
  /** Words that the renderer adds, in the page's language; missing ones are English. See `DEFAULT_TITLES`. */
  readonly titles?: Readonly<Record<string, string>>;
  /** The generator that the page was written for; see `dependsOnGenerator`. */
  readonly generator?: Generator | undefined;
  readonly mdx?: boolean;
  /** Those that apply to the page, in their order. */
  readonly plugins?: readonly MarkdownPlugin[] | undefined;
  /** Keys of the grammars of extensions, by the names of their languages. */
  readonly languages?: ReadonlyMap<string, string> | undefined;
  /** Components of extensions by their names. */
  readonly components?: ReadonlyMap<string, PageComponent> | undefined;
}

/** A plugin of the parser, of an extension. */
export interface MarkdownPlugin {
  /** Differs for plugins that do. */
  readonly key: string;
  readonly meter: ExtensionMeter;
  readonly add: (md: MarkdownIt) => unknown;
}

/** A component of an extension. */
export interface PageComponent {
  readonly meter: ExtensionMeter;
  readonly render: Component;
}

/** Values of a site that templates print. */
export interface SiteValues {
  readonly config: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  /** Variables of a book of GitBook. */
  readonly book: Readonly<Record<string, unknown>>;
}

/** Renders pages; keeps no state between them. */
export interface MarkdownRenderer {
  /** Returns the page's draft. Throws `page-limit` with the line for a page that would take too much time or memory. */
  render(input: RenderInput): Draft;
  /** The same, soon: pages that are rendered in turn share what it costs to bound their time. */
  renderSoon(input: RenderInput): Promise<Draft>;
}

/** The links of a draft in their order, and the number of each by its slot, as in `Fragment`. */
export interface NumberedLinks {
  readonly links: readonly LinkSlot[];
  readonly numbers: ReadonlyMap<string, number>;
}

/** Numbers the links of a draft. */
export function numberLinks({ html, slots }: Pick<Draft, 'html' | 'slots'>): NumberedLinks {
  const links: LinkSlot[] = [];
  const numbers = new Map<string, number>();
  for (let at = html.indexOf('\0'); at >= 0; ) {
    const end = html.indexOf('\0', at + 1);
    if (end < 0) break;
    const place = html.slice(at + 1, end);
    const slot = slots[Number(place)];
    if (slot !== undefined && isLink(slot)) {
      // Of a slot in several places, each has the same URL.
      numbers.set(place, links.length);
      links.push(slot);
    }
    at = html.indexOf('\0', end + 1);
  }
  return { links, numbers };
}

/** Returns the parts of a page that do not depend on its code. */
export function describeDraft(draft: Draft, { links } = numberLinks(draft)): Omit<Fragment, 'html'> {
  const { headings, title, ids, warnings, extras } = draft;
  return { slots: links, headings, title, ids, warnings, extras };
}

/**
 * Returns a draft's HTML with its code highlighted, as a fragment has it; `highlighted` returns a block's HTML, with
 * lines separated by "\n" and no span across lines, or undefined for a block that stays plain.
 */
export function fillCodeSlots(draft: Draft, highlighted: (block: CodeBlock) => string | undefined): string {
  const parts = draft.html.split('\0');
  let links = 0;
  let html = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const slot = draft.slots[Number(parts[i])];
    if (slot === undefined) throw new RangeError(`Draft has no slot "${parts[i]}"`);
    if (slot.kind === 'code') html += markCode(highlighted(slot.block) ?? escapeText(slot.block.text), slot);
    else if (slot.kind === 'formula') html += slot.html;
    else html += `\0${links++}\0`;
    html += parts[i + 1]!;
  }
  return html;
}

function isLink(slot: DraftSlot): slot is LinkSlot {
  return slot.kind !== 'code' && slot.kind !== 'formula';
}

function markCode(html: string, { marks, spans = [] }: CodeSlot): string {
  if (marks.length === 0 && spans.length === 0) return html;
  const lines = html.split('\n');
  for (let at = 0; at < spans.length; ) {
    const [line] = spans[at]!;
    const parts: CodeSpan[] = [];
    while (spans[at]?.[0] === line) parts.push(spans[at++]!);
    if (line < lines.length) lines[line] = markParts(lines[line]!, parts);
  }
  for (const [line, classes] of marks) {
    if (line < lines.length) lines[line] = `<span class="line ${classes}">${lines[line]}</span>`;
  }
  return lines.join('\n');
}

/** Marks parts of a highlighted line; a token that is only partly in one is cut in two. */
function markParts(html: string, parts: readonly CodeSpan[]): string {
  let result = '';
  let column = 0;
  let next = 0;
  let token = '';
  let isOpen = false;
  /** Writes a tag between the halves of the token around it. */
  const cut = (tag: string): string => (token === '' ? tag : `</span>${tag}${token}`);
  for (const [piece] of html.matchAll(/<[^<>]*>|&[^&;]*;|[^<&]/g)) {
    if (piece.startsWith('<')) {
      token = piece === '</span>' ? '' : piece;
      result += piece;
      continue;
    }
    const [, from = -1, to = -1, tag = 'mark'] = parts[next] ?? [];
    if (!isOpen && column === from) {
      result += cut(`<${tag}>`);
      isOpen = true;
    }
    result += piece;
    column += piece.startsWith('&') ? 1 : piece.length;
    if (isOpen && column === to) {
      result += cut(`</${tag}>`);
      isOpen = false;
      next++;
    }
  }
  return result.replace(/<span[^<>]*><\/span>/g, '');
}
