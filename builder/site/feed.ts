import { escapeHtml } from '../../lib/html-text.ts';

/** A version of the documentation as an entry of a feed; URLs are absolute. */
export interface FeedEntry {
  /** Plain text. */
  readonly title: string;
  /** The page about it, which is its id, too. */
  readonly url: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** HTML; its URLs are absolute. */
  readonly content: string;
}

/** Characters that XML cannot hold. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Returns an Atom feed (RFC 4287) of one language: its entries, the newest first. */
export function buildFeed(feed: {
  /** Of the site: the author of all entries. */
  readonly siteTitle: string;
  readonly title: string;
  /** BCP 47. */
  readonly tag: string;
  readonly url: string;
  /** The page that the feed is about. */
  readonly page: string;
  readonly entries: readonly FeedEntry[];
}): string {
  const { siteTitle, title, tag, url, page, entries } = feed;
  const updated = Math.max(0, ...entries.map(({ time }) => time));
  const rows = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${write(tag)}">`,
    `<title>${write(`${siteTitle}: ${title}`)}</title>`,
    `<id>${write(page)}</id>`,
    `<link rel="self" type="application/atom+xml" href="${write(url)}"/>`,
    `<link rel="alternate" type="text/html" href="${write(page)}"/>`,
    `<updated>${formatTime(updated)}</updated>`,
    `<author><name>${write(siteTitle)}</name></author>`,
    ...entries.map((entry) => {
      const link = `<link rel="alternate" type="text/html" href="${write(entry.url)}"/>`;
      const head = `<title>${write(entry.title)}</title><id>${write(entry.url)}</id>${link}`;
      return `<entry>${head}<updated>${formatTime(entry.time)}</updated>\n<content type="html">${write(entry.content)}</content></entry>`;
    }),
    '</feed>',
  ];
  return `${rows.join('\n')}\n`;
}

function write(text: string): string {
  return escapeHtml(text.replace(FORBIDDEN, ''));
}

/** Times of commits may be anything. */
function formatTime(seconds: number): string {
  const time = new Date(Math.min(Math.max(0, seconds), 253_402_300_799) * 1_000);
  return time.toISOString().replace('.000Z', 'Z');
}
