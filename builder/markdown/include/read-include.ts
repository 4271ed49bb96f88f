import { spendWork } from '../page/page-costs.ts';
import { type PageState, warnOnce } from '../page/page-state.ts';
import type { IncludeReference } from './directive.ts';
import { INCLUDE_LIMITS, listIncludePaths } from './include-references.ts';
import { OMITTED_LINES } from './python-includes.ts';
import {
  findBody,
  findRegion,
  findSection,
  HIDDEN_LINE,
  hideLines,
  lowerHeadings,
  parseRanges,
  removeRegionMarks,
  selectLines,
} from './select-lines.ts';

/** The work of searching a region, see `spendWork`. */
const WORK_OF_CHARACTER = 4;

/** Returns the part of a file that an include means, or the problem. It counts towards the page's limits. */
export function readInclude(page: PageState, reference: IncludeReference): { path: string; text: string } | string {
  const { input, includeStack } = page;
  const problem = (what: string) => `Cannot include "${reference.path}": ${what}`;
  const pagePath = includeStack.at(-1) ?? input.pagePath ?? '';
  const { sourceDir = '', includeFolders, aliases } = input;
  const paths = listIncludePaths(reference, { pagePath, sourceDir, includeFolders, aliases });
  const path = paths.find((candidate) => input.includes.has(candidate)) ?? paths[0];
  if (path === undefined) return problem('it is outside the repository');
  const file = input.includes.get(path);
  if (file === undefined) return problem(input.unreadable?.get(path) ?? describeMissing(reference, path));
  const isOpen = includeStack.includes(path) || path === input.pagePath;
  // As code, its content is not parsed.
  if (isOpen && reference.kind !== 'code') return problem('it includes itself');
  if (includeStack.length >= INCLUDE_LIMITS.depth) return problem('includes are nested too deeply');
  spendWork(page.costs, file.length * WORK_OF_CHARACTER);
  const selected = selectText(reference, normalizeText(file));
  if (selected === undefined) return problem(describeMissingPart(reference));
  const text = cutText(page, reference, selected);
  page.includedCharacters += text.length;
  if (++page.includeCount > INCLUDE_LIMITS.includes || page.includedCharacters > INCLUDE_LIMITS.characters) {
    return problem('the page includes too much');
  }
  return { path, text };
}

function describeMissing({ path, isFromBase }: IncludeReference, file: string): string {
  return isFromBase && file !== path ? `file does not exist, nor does "${file}"` : 'file does not exist';
}

/** Returns the part of a text between two others, all of it where one is missing, with its headings on other levels. */
function cutText(page: PageState, { path, between, headingOffset = 0 }: IncludeReference, text: string): string {
  const { start = '', end = '' } = between ?? {};
  const [first, last] = [text.indexOf(start), text.indexOf(end, text.indexOf(start) + start.length)];
  const missing = first < 0 ? start : end !== '' && last < 0 ? end : undefined;
  if (missing !== undefined) {
    const message = `All of "${path}" is included: it does not contain "${missing}"`;
    warnOnce(page, page.costs.line, 'missing-snippet', message);
  }
  const part = missing !== undefined ? text : text.slice(first + start.length, end === '' ? undefined : last);
  return headingOffset > 0 ? lowerHeadings(part, headingOffset) : part;
}

/** As markdown-it does with the page itself; NUL would be mistaken for a slot. */
function normalizeText(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\ufffd');
}

function selectText(reference: IncludeReference, file: string): string | undefined {
  const { kind, region, settings } = reference;
  const isMarkdown = kind !== 'code' && /\.(?:md|mdx|markdown)$/i.test(reference.path);
  const ranges = parseRanges(kind === 'code' ? reference.lines : settings);
  const bodyStart = isMarkdown ? findBody(file) : 0;
  const body = file.slice(bodyStart);
  // Lines count as an editor shows them, those that are left out included.
  const [text, mark] = ranges ? [hideLines(file.slice(0, bodyStart)) + body, HIDDEN_LINE] : [body, ''];
  const part =
    region === undefined
      ? removeRegionMarks(text, mark)
      : (findRegion(text, region, mark) ?? (kind === 'markdown' ? findSection(text, region) : undefined));
  if (part === undefined || ranges === undefined) return part;
  return selectLines(part, ranges, kind === 'code' ? OMITTED_LINES : undefined);
}

function describeMissingPart({ region, settings }: IncludeReference): string {
  return region === undefined
    ? `it has no line ${settings?.replace(/^\s*,?\s*|\s*,.*$/g, '')}`
    : `it has no region "${region}"`;
}
