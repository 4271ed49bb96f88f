import { createBoundedMap } from '../../lib/bounded-map.ts';
import { escapeHtml, escapeText } from '../../lib/html-text.ts';
import type { Messages } from './messages.ts';
import { safeUrl } from './safe-url.ts';

/** Events of a page or a section, in the order in which readers are told. */
export const CHANGE_KINDS = ['added', 'removed', 'moved', 'changed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A section that is not as it was. Plain text. */
export interface SectionChange {
  readonly kind: ChangeKind;
  readonly title: string;
  /** Id of its heading, in the newer page unless it was removed; '' = the page's beginning. */
  readonly id: string;
}

/** A page that is not as it was. URLs are from the site's root. */
export interface PageChange {
  readonly kind: ChangeKind;
  /** Plain text. */
  readonly title: string;
  /** Of the page in the newer version; a removed one is in the older. */
  readonly url: string;
  /** Path in the newer version, that of a removed page in the older; undefined = its text is in a section of another page now. */
  readonly path: string | undefined;
  /** Former path of a moved page, plain text. */
  readonly from?: string | undefined;
  /** Slug of the version with which it can be compared; undefined = with none. */
  readonly compare?: string | undefined;
  /** Share of the text that differs, from 0 to 1. */
  readonly amount?: number | undefined;
  readonly sections: readonly SectionChange[];
}

/** The changes from one version to another. */
export interface ChangesBetween {
  readonly pages: readonly PageChange[];
  /** Number of pages that say the same. */
  readonly unchanged: number;
}

/** Pages and sections of a list that are named; the others are counted. */
const MAX_PAGES = 500;
const MAX_SECTIONS = 20;

/** Returns HTML of what changed between two versions, with its pages in groups by kind; `root` leads to the site's root. */
export function renderChanges(
  { pages, unchanged }: ChangesBetween,
  options: {
    readonly root: string;
    readonly text: Messages['changes'];
    /** The word for the comparison of a page. */
    readonly compare: string;
    /** BCP 47 tag of the words. */
    readonly tag: string;
    readonly maxPages?: number;
    /** Scripts can read what is shown, see `client/history/changes-between.ts`. */
    readonly hasData?: boolean;
  },
): string {
  const { root, text, tag, maxPages = MAX_PAGES, hasData = false } = options;
  const groups = CHANGE_KINDS.map((kind) => {
    const own = pages.filter((page) => page.kind === kind);
    if (own.length === 0) return '';
    const title = `<h2>${escapeText(text[kind])} <small>${formatNumber(own.length, tag)}</small></h2>`;
    const rows = own.slice(0, maxPages).map(renderPage);
    return `${title}\n<ul class="changes-list">\n${rows.join('')}${renderRest(own.length - rows.length)}</ul>\n`;
  });
  const isSame = pages.length === 0 ? `<p>${escapeText(text.none)}</p>\n` : '';
  const rest = escapeText(text.unchanged.replace('{count}', formatNumber(unchanged, tag)));
  return `${isSame}${groups.join('')}<p>${rest}</p>\n`;

  function renderPage(page: PageChange): string {
    const { title, url, from, compare, amount, sections } = page;
    const data = hasData ? describeData(page) : '';
    const facts = [
      ...(from === undefined ? [] : [`<code>${escapeText(from)}</code>`]),
      ...(amount === undefined ? [] : [escapeText(text.amount.replace('{percent}', formatShare(amount, tag)))]),
      ...(compare === undefined
        ? []
        : [renderLink(`${root}${url}?compare=${encodeURIComponent(compare)}`, options.compare)]),
    ];
    const about = facts.length > 0 ? ` <small>${facts.join(' · ')}</small>` : '';
    const groupsOfSections = CHANGE_KINDS.flatMap((kind) => {
      const own = sections.filter((section) => section.kind === kind && section.title !== '');
      if (own.length === 0) return [];
      const links = own
        .slice(0, MAX_SECTIONS)
        .map((section) => (kind === 'removed' ? escapeText(section.title) : renderSection(url, section)));
      const more = own.length - links.length;
      return [`${escapeText(text[kind])}: ${[...links, ...(more > 0 ? [renderMore(more)] : [])].join(', ')}`];
    });
    const below = groupsOfSections.map((line) => `<li>${line}</li>`).join('');
    return `<li${data}>${renderLink(root + url, title)}${about}${below === '' ? '' : `<ul>${below}</ul>`}</li>\n`;
  }

  function renderSection(url: string, { title, id }: SectionChange): string {
    return renderLink(`${root}${url}${id === '' ? '' : `#${encodeURIComponent(id)}`}`, title);
  }

  function renderRest(count: number): string {
    return count > 0 ? `<li>${renderMore(count)}</li>\n` : '';
  }

  function renderMore(count: number): string {
    return escapeText(text.more.replace('{count}', formatNumber(count, tag)));
  }
}

function describeData({ kind, path, from, amount }: PageChange): string {
  const facts = Object.entries({ kind, path, from, amount }).filter(([, value]) => value !== undefined);
  return facts.map(([name, value]) => ` data-${name}="${escapeHtml(String(value))}"`).join('');
}

function renderLink(url: string, title: string): string {
  return `<a href="${escapeHtml(safeUrl(url))}">${escapeText(title)}</a>`;
}

const formats = createBoundedMap<string, Intl.NumberFormat>({ maxEntries: 200 });

export function formatNumber(number: number, tag: string): string {
  return findFormat(tag, false).format(number);
}

/** Returns a share of at least one percent, since something differs. */
function formatShare(share: number, tag: string): string {
  return findFormat(tag, true).format(Math.min(1, Math.max(0.01, share)));
}

function findFormat(tag: string, isShare: boolean): Intl.NumberFormat {
  const key = `${tag} ${isShare}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat([...Intl.NumberFormat.supportedLocalesOf([tag].filter(isTag)), 'en'], {
    style: isShare ? 'percent' : 'decimal',
  });
  formats.set(key, made);
  return made;
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
