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
  /** Followed by a date. */
  readonly updated: string;
  readonly theme: string;
  readonly light: string;
  readonly dark: string;
  readonly system: string;
  readonly copy: string;
  readonly copied: string;
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
  /** What the switches of the header say, and the list of versions. */
  readonly switches: Readonly<
    Record<
      'version' | 'language' | 'versions' | 'languages' | 'branches' | 'tags' | 'missing' | 'filter' | 'failed',
      string
    >
  >;
  /** What the search dialog says; `client/search/open-index.ts` names the words. */
  readonly search: Readonly<Record<string, string>>;
  /** What is asked at the end of a page, if the project wants it. */
  readonly feedback: Readonly<Record<'question' | 'yes' | 'no' | 'thanks', string>>;
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

function findMessageLanguage(tag: string): string {
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
