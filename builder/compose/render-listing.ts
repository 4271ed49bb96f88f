import { escapeHtml } from './escape-html.ts';
import { safeUrl } from './safe-url.ts';

/** A page or folder that an automatic index page leads to. All texts are plain text. */
export interface ListingEntry {
  readonly title: string;
  /** Relative to the index page. */
  readonly url: string;
  readonly description?: string | undefined;
}

/** Returns the HTML content of an index page for a folder that has none of its own. */
export function renderListing(entries: readonly ListingEntry[]): string {
  return `<ul class="listing">\n${entries.map(renderEntry).join('')}</ul>\n`;
}

function renderEntry({ title, url, description }: ListingEntry): string {
  const text = description ? `<p>${escapeHtml(description)}</p>` : '';
  return `<li><a href="${escapeHtml(safeUrl(url))}">${escapeHtml(title)}</a>${text}</li>\n`;
}
