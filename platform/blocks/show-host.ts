import { readableHost } from '../../lib/url-text.ts';

/** Returns a host or a URL for people: as it is, and where its host is in punycode, that in its own letters in parentheses. */
export function showHost(text: string): string {
  const readable = readableHost(text);
  return readable === '' ? text : `${text} (${readable})`;
}
