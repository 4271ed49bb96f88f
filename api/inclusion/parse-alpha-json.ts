import { decodeHTMLStrict } from 'entities';
import { failedPage, type ResultPage, UNKNOWN_PAGE } from './result-page.ts';

/** Ten results have some 20,000 characters. */
const MAX_LENGTH = 200_000;

/** Reads Alpha's JSON, also where it is not quite JSON: control characters and wrong backslashes in strings are mended. */
export function parseAlphaJson(text: string): ResultPage {
  const feed = field(parseLoosely(text), 'feed');
  const entries = field(feed, 'entry');
  const isNone = Number(field(feed, 'all') ?? Number.NaN) === 0;
  if (!Array.isArray(entries)) return isNone ? { urls: [], isAnswer: true, problem: '' } : failedPage(UNKNOWN_PAGE);
  const urls: string[] = [];
  let isAnswer = isNone;
  for (const entry of entries as unknown[]) {
    const url = field(entry, 'url');
    if (typeof url !== 'string' || url === '') continue;
    isAnswer = true;
    // No time: Alpha knows the address, but does not have the page. Time 0 is a page that it has, not sorted in yet.
    const time = field(entry, 'time');
    if (typeof time === 'string' && time.trim() === '') continue;
    urls.push(url);
    if (url.includes('&')) urls.push(decodeHTMLStrict(url));
  }
  return { urls, isAnswer, problem: '' };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Returns undefined for what is no JSON even when mended. */
function parseLoosely(text: string): unknown {
  if (text.length > MAX_LENGTH) return undefined;
  const start = text.trimStart();
  // A page of HTML is not worth the mending.
  if (!start.startsWith('{')) return undefined;
  return tryParse(start) ?? (/[\p{Cc}\\]/u.test(start) ? tryParse(mend(start)) : undefined);
}

function mend(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (found) => (found === '\\' ? '\\\\' : found));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
