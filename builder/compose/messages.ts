import { readFileSync } from 'node:fs';
import { packageFile } from '../../lib/package-file.ts';

/** The texts of pages besides the author's, in one language: `templates/messages/<tag>.json`. */
export interface Messages {
  readonly skip: string;
  readonly menu: string;
  readonly pages: string;
  /** The header's link from a landing page to the first page. */
  readonly documentation: string;
  readonly onThisPage: string;
  readonly breadcrumbs: string;
  readonly pageNavigation: string;
  readonly previous: string;
  readonly next: string;
  readonly edit: string;
  /** The link to the page's file at the code host. */
  readonly source: string;
  readonly repository: string;
  /** Followed by a date. */
  readonly updated: string;
  readonly theme: string;
  readonly light: string;
  readonly dark: string;
  readonly system: string;
  readonly copy: string;
  readonly copied: string;
  /** The button that wraps long lines of code. */
  readonly wrap: string;
  /** The button that copies the whole page, as Markdown. */
  readonly copyPage: string;
  /** The link to it. */
  readonly viewMarkdown: string;
  /** `{language}` stands for the language the page is shown in. */
  readonly fallback: string;
  /** Shown on a page whose source cannot be read, followed by the error in English. */
  readonly unreadable: string;
  readonly notFoundTitle: string;
  readonly notFoundText: string;
  /** Above the list of versions and languages that have the page. */
  readonly elsewhere: string;
  readonly home: string;
  readonly moved: string;
  readonly allPages: string;
  /** Said above pages that may be old, before and after it is known; `{version}` and `{newest}` are filled in. */
  readonly versionNotice: Readonly<Record<'reading' | 'old', string>>;
  /** `gone` is said on the page nearest to one that is not there; `{page}` is its title. */
  readonly switches: Readonly<
    Record<
      | 'version'
      | 'language'
      | 'versions'
      | 'languages'
      | 'branches'
      | 'tags'
      | 'missing'
      | 'filter'
      | 'failed'
      | 'newest'
      | 'gone',
      string
    >
  >;
  /** Words of the search dialog; `lib/search/open-index.ts` names them. */
  readonly search: Readonly<Record<string, string>>;
  /** Of the history at a page's foot; `{version}` and `{path}` are filled in by `client/history/`. */
  readonly history: Readonly<
    Record<'title' | 'added' | 'changed' | 'moved' | 'unchanged' | 'compare' | 'none' | 'failed', string>
  >;
  /** Of pages that say what changed between versions, and of the feed. */
  readonly changes: Readonly<
    Record<
      | ('title' | 'release' | 'since' | 'from' | 'to' | 'show' | 'feed' | 'failed')
      | ('added' | 'removed' | 'moved' | 'changed' | 'unchanged' | 'none' | 'more' | 'amount'),
      string
    >
  >;
  /** Badges of headings. */
  readonly since: Readonly<Record<'badge' | 'title' | 'unreleased' | 'unreleasedTitle', string>>;
  /** Words of the comparison of versions; `client/compare/compare-words.ts` names them, save `with` and `unavailable`, which pages have. */
  readonly compare: Readonly<Record<string, string>>;
  readonly feedback: Readonly<Record<'question' | 'yes' | 'no' | 'thanks', string>>;
  /** Words of the boards of translations, and what is said above pages whose original, in `{language}`, has changed since. */
  readonly translations: Readonly<
    Record<
      | 'title'
      | 'page'
      | 'state'
      | 'all'
      | 'current'
      | 'behind'
      | 'missing'
      | 'since'
      | 'changed'
      | 'removed'
      | 'changes'
      | 'notice',
      string
    >
  >;
  /** Words inside the author's text: titles of callouts by kind, and names for screen readers. See the Markdown renderer. */
  readonly titles: Readonly<Record<string, string>>;
}

/** Languages that have messages; the first is what all others fall back to. */
export const MESSAGE_LANGUAGES = (
  'en zh-CN zh-TW ja ko es pt fr de ru it fa ar he tr pl nl uk vi id hi' as const
).split(' ') as readonly string[];

const folder = packageFile('templates/messages/');
const loaded = new Map<string, Messages>();

/** Returns the messages for a BCP 47 tag: of the very tag, else of its base language (and script), else English. */
export function findMessages(tag: string): Messages {
  const known = loaded.get(tag);
  if (known !== undefined) return known;
  const stored = JSON.parse(readFileSync(new URL(`${findMessageLanguage(tag)}.json`, folder), 'utf8')) as Messages;
  const { yes, no } = stored.feedback;
  const messages = { ...stored, titles: { ...stored.titles, yes, no } };
  loaded.set(tag, messages);
  return messages;
}

/** Returns the language in whose messages a BCP 47 tag is served. */
export function findMessageLanguage(tag: string): string {
  const exact = MESSAGE_LANGUAGES.find((language) => language.toLowerCase() === tag.toLowerCase());
  if (exact !== undefined) return exact;
  if (tag === 'zh') return 'zh-CN';
  const locale = parseLocale(tag);
  if (locale?.language === 'zh') return locale.script === 'Hant' ? 'zh-TW' : 'zh-CN';
  return MESSAGE_LANGUAGES.find((language) => language === locale?.language) ?? 'en';
}

function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}
