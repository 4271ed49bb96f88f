import type nunjucks from 'nunjucks';
import templates from '#site-templates';
import { escapeHtml, escapeText } from '../../lib/html-text.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import type { PageExtra } from '../model.ts';
import { createEnvironment } from './create-environment.ts';
import { findLocale, formatDay, formatPercent, languageName } from './intl-words.ts';
import { findMessages } from './messages.ts';
import type { OwnTemplates } from './own-templates.ts';
import type {
  BoardModel,
  ChangesModel,
  ListModel,
  NotFoundModel,
  PageModel,
  RedirectModel,
  TextLanguage,
} from './page-model.ts';
import { type ChangesBetween, renderChanges } from './render-changes.ts';
import { createTemplateRunner } from './run-templates.ts';
import type { AssetNames, PageVariables, SharedVariables } from './template-variables.ts';
import type { ThemeModel } from './theme.ts';
import { readThemeFiles, type ThemeFile } from './theme-files.ts';

export interface Composer {
  composePage(model: PageModel): string;
  /** Returns the document for URLs that do not exist, in one language. */
  composeNotFound(model: NotFoundModel): string;
  composeList(model: ListModel): string;
  /** Returns the page of what changed in a version, or the list of such pages where nothing is given. */
  composeChanges(model: ChangesModel, changes?: ChangesBetween): string;
  composeBoard(model: BoardModel): string;
  /** Returns a document that leads to another URL at once, also without JavaScript. */
  composeRedirect(model: RedirectModel): string;
  /** Returns docbuild's stylesheet with the rules of a project behind its own. */
  createStyle(rules: string): ThemeFile;
  /** Returns the files that pages with these extras and boards, in these languages, need in the folder `PageModel.assets` leads to. */
  themeFiles(needs?: {
    readonly extras?: Iterable<PageExtra>;
    readonly hasBoards?: boolean;
    readonly tags?: Iterable<string>;
  }): readonly ThemeFile[];
}

/** Prepares the templates, once for all pages. Throws `bad-option` for templates of an operator that cannot be used. */
export function createComposer(own: OwnTemplates = {}): Composer {
  const files = readThemeFiles();
  const environment = createEnvironment({ getSource: (name) => getSource(name, own) });
  const names = [...Object.keys(templates), ...Object.keys(own).map((name) => `docbuild/${name}`)];
  const runner = createTemplateRunner(environment, own, names);
  const [page, notFound, redirect] = [runner.get('page.njk'), runner.get('not-found.njk'), runner.get('redirect.njk')];
  const [list, changes, board] = [runner.get('list.njk'), runner.get('changes.njk'), runner.get('translations.njk')];
  const assetNames = (theme: ThemeModel, { tag }: TextLanguage): AssetNames => ({
    script: files.script.name,
    icon: files.icon.name,
    buttonScript: files.button.name,
    searchScript: files.search.name,
    compareScript: files.getCompare(tag)[0].name,
    historyScript: files.history.name,
    style: theme.style ?? files.getStyle().name,
  });
  return {
    composePage(given) {
      const model = raiseTitle(given);
      const { theme, language, fallbackLanguage, extras } = model;
      const text = findMessages(language.tag);
      const notice =
        fallbackLanguage && text.fallback.replace('{language}', languageName(fallbackLanguage.tag, language.tag));
      const written = fallbackLanguage ?? language;
      const heading = findHeading(model);
      const named = new Set(
        model.head.flatMap(({ attributes }) =>
          attributes.flatMap(([name, value]) => (NAMING.has(name) ? [value] : [])),
        ),
      );
      const isGiven = (name: string): boolean => named.has(name);
      const linked = Object.fromEntries(extras.map((extra) => [extra, files.getExtra(extra)[0].name]));
      const ownName = nameInItself(language);
      const updated = formatDate(model);
      const originalNotice =
        model.original && !fallbackLanguage
          ? text.translations.notice.replace('{language}', languageName(model.original.tag, language.tag))
          : '';
      const hasHistory = model.changes !== undefined && model.layout === 'doc' && !model.problem;
      const historyWords = [...HISTORY_WORDS.map((word) => text.history[word]), text.changes.title].join('|');
      const sharing = describeSharing(model, written);
      const surroundings = {
        sharing,
        list: model.list,
        updated,
        originalNotice,
        linked,
        isGiven,
        hasHistory,
        historyWords,
      };
      const more = { theme, language, ownName, written, notice, text, heading, ...surroundings };
      const variables: PageVariables = { page: model, ...more, ...assetNames(theme, language) };
      return page.render(variables);
    },
    composeNotFound(model) {
      const { theme, header, language, base } = model;
      const text = findMessages(language.tag);
      const [home, assets] = [base + model.home, base + model.assets];
      const places = { home, assets, list: base + model.list, ...assetNames(theme, language) };
      const variables: SharedVariables = { theme, language, ownName: nameInItself(language), text, ...places };
      return notFound.render({ ...variables, header });
    },
    composeList(model) {
      const { theme, language } = model;
      const languages = model.languages.map((one) => ({ ...one, title: nameInItself(one) }));
      const boards = model.boards.map((one) => ({
        ...one,
        title: nameInItself(one),
        percent: formatPercent(one.percent / 100, language.tag),
      }));
      const given = { ...model, languages, boards, list: '', ownName: nameInItself(language) };
      return list.render({ ...given, text: findMessages(language.tag), ...assetNames(theme, language) });
    },
    composeChanges(model, given) {
      const { theme, language, version, assets } = model;
      const text = findMessages(language.tag);
      const { tag } = language;
      const root = theme.switches!.site;
      return changes.render({
        ...model,
        text,
        ownName: nameInItself(language),
        title: version ? text.changes.release.replace('{version}', version.name) : text.changes.title,
        compared: version && text.changes.since.split('{version}'),
        content:
          given &&
          renderChanges(given, { root, text: text.changes, compare: text.history.compare, tag, hasData: true }),
        words: JSON.stringify({ ...text.changes, compare: text.history.compare }),
        ...assetNames(theme, language),
        assets,
        list: '',
        all: model.list,
      });
    },
    composeBoard(model) {
      const { theme, language } = model;
      const text = findMessages(language.tag);
      const percent = (share: number): string => formatPercent(share, language.tag);
      const rows = model.rows.map(({ amount, ...row }) => ({
        ...row,
        amount: amount === undefined ? '' : percent(Math.max(0.01, amount)),
        sections: row.sections.map((section) => ({ ...section, heading: section.heading || row.title })),
      }));
      const versions = model.versions.map((version) => ({ ...version, percent: percent(version.percent / 100) }));
      const given = { ...model, rows, versions, ownName: nameInItself(language), text, words: text.translations };
      const [script, style] = files.board;
      return board.render({
        ...given,
        ...assetNames(theme, language),
        boardScript: script.name,
        boardStyle: style.name,
      });
    },
    composeRedirect({ url, language }) {
      return redirect.render({ url, language, text: findMessages(language.tag) });
    },
    createStyle: (rules) => files.getStyle(rules),
    themeFiles({ extras = [], hasBoards = false, tags = ['en'] } = {}) {
      const added = [...extras].flatMap((extra) => files.getExtra(extra));
      const boards = hasBoards ? files.board : [];
      const compare = new Map([...tags].flatMap((tag) => files.getCompare(tag).map((file) => [file.name, file])));
      const always = [files.script, files.button, files.search, files.history, files.icon, files.getStyle()];
      return [...always, ...compare.values(), ...boards, ...added];
    },
  };
}

/** Returns what search engines and previews of links are told besides the page's texts. */
function describeSharing({ canonical, alternates, trail, head }: PageModel, { tag }: TextLanguage) {
  const isGiven = head.some(({ attributes }) => attributes.some(([name]) => name === 'hreflang'));
  const steps = trail.map(({ title, url }, at) => ({ '@type': 'ListItem', position: at + 1, name: title, item: url }));
  const list = { '@context': 'https://schema.org', '@type': 'BreadcrumbList', itemListElement: steps };
  return {
    url: canonical !== undefined && isWebUrl(canonical) ? canonical : undefined,
    locale: findLocale(tag),
    alternates: isGiven ? [] : alternates,
    // Data is not run, but the parser of HTML looks for the end of the element.
    trail: steps.length > 0 ? JSON.stringify(list).replaceAll('<', '\\u003c') : undefined,
  };
}

/** Words of the history at a page's foot that `client/history/` needs, in its order. */
const HISTORY_WORDS = ['added', 'changed', 'moved', 'unchanged', 'compare', 'none', 'failed'] as const;

/** Returns the date of a page, unless it is a landing page, in the words of the language around it, in UTC, so that it is the same wherever it is built. */
function formatDate({ updated, language, layout }: PageModel): string | undefined {
  if (updated === undefined || layout === 'home' || Number.isNaN(Date.parse(updated))) return undefined;
  return formatDay(new Date(updated), language.tag);
}

function nameInItself({ tag }: TextLanguage): string {
  return languageName(tag, tag);
}

/** Attributes that say what an element for `<head>` is about. */
const NAMING: ReadonlySet<string> = new Set(['name', 'property', 'rel']);

/** Returns the page with its title as heading of level 1 where it begins with a lower one that says the same, as chapters of books do. */
function raiseTitle(model: PageModel): PageModel {
  const { content, title, layout, problem } = model;
  const [opening, , attributes, inner] = /^\s*<h([2-6])([^>]*)>([\s\S]*?)<\/h\1>/.exec(content) ?? [];
  if (inner === undefined || problem || layout === 'home' || /<h1[\s>]/i.test(content)) return model;
  const words = inner.replace(/<a class="anchor"[\s\S]*$|<[^<>]*>/g, '').replaceAll('&quot;', '"');
  if (words.trim() !== escapeText(title)) return model;
  const toc = model.toc.filter(({ id }) => !attributes!.includes(` id="${escapeHtml(id)}"`));
  return { ...model, toc, content: `<h1${attributes}>${inner}</h1>${content.slice(opening!.length)}` };
}

/**
 * Returns the heading of level 1 that a page lacks, hidden from sight where its author wants none or it opens with a picture
 * and buttons. Undefined when the page has one.
 */
function findHeading(model: PageModel): { readonly text: string; readonly isHidden: boolean } | undefined {
  const { layout, home, content, problem, title, theme } = model;
  const isHome = layout === 'home';
  const hasOpening = isHome && (home?.name || home?.text);
  if (problem || hasOpening || /<h1[\s>]/i.test(content)) return undefined;
  return { text: title || theme.siteTitle, isHidden: isHome || model.hidesTitle };
}

function getSource(name: string, own: OwnTemplates): nunjucks.LoaderSource {
  if (Object.hasOwn(own, name)) return { src: own[name]!, path: name, noCache: false };
  const obj = templates[name.replace(/^docbuild\//, '')];
  if (!obj) throw new Error(`There is no template "${name}"`);
  // A compiled template is handed over like this; the package's types know text only.
  const src = { type: 'code', obj } as unknown as string;
  return { src, path: name, noCache: false };
}
