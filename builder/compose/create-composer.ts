import type nunjucks from 'nunjucks';
import templates from '#site-templates';
import { escapeHtml, escapeText } from '../../lib/html-text.ts';
import { BuildError } from '../build-error.ts';
import type { PageExtra } from '../model.ts';
import { createEnvironment } from './create-environment.ts';
import { formatDay, languageName } from './intl-words.ts';
import { findMessages } from './messages.ts';
import type { OwnTemplates } from './own-templates.ts';
import type { ListModel, NotFoundModel, PageModel, RedirectModel, TextLanguage } from './page-model.ts';
import type { ThemeModel } from './theme.ts';
import { readThemeFiles, type ThemeFile } from './theme-files.ts';

/** Turns page models into HTML documents. */
export interface Composer {
  /** Returns the document of one page. */
  composePage(model: PageModel): string;
  /** Returns the document for URLs that do not exist, in one language. */
  composeNotFound(model: NotFoundModel): string;
  /** Returns the list of versions and languages. */
  composeList(model: ListModel): string;
  /** Returns a document that leads to another URL at once, also without JavaScript. */
  composeRedirect(model: RedirectModel): string;
  /** Returns the files that pages with these accent colours and extras need in the folder `PageModel.assets` leads to. */
  themeFiles(accents: Iterable<string | undefined>, extras?: Iterable<PageExtra>): readonly ThemeFile[];
}

/** Prepares the templates, once for all pages. Throws `bad-option` for templates of an operator that cannot be used. */
export function createComposer(own: OwnTemplates = {}): Composer {
  const files = readThemeFiles();
  const environment = createEnvironment({ getSource: (name) => getSource(name, own) });
  // Where a template is included, errors in it would be thrown later.
  for (const name of Object.keys(own)) refuse(() => environment.getTemplate(name, true));
  const [page, notFound, list, redirect] = ['page.njk', 'not-found.njk', 'list.njk', 'redirect.njk'].map((name) =>
    refuse(() => environment.getTemplate(name, true)),
  ) as [nunjucks.Template, nunjucks.Template, nunjucks.Template, nunjucks.Template];
  const assetNames = (theme: ThemeModel) => ({
    script: files.script.name,
    icon: files.icon.name,
    buttonScript: files.button.name,
    searchScript: files.search.name,
    style: files.getStyle(theme.accent).name,
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
      const surroundings = { list: model.list, updated, linked, isGiven };
      const more = { theme, language, ownName, written, notice, text, heading, ...surroundings };
      return refuse(() => page.render({ page: model, ...more, ...assetNames(theme) }));
    },
    composeNotFound(model) {
      const { theme, header, language, base } = model;
      const text = findMessages(language.tag);
      const [home, assets] = [base + model.home, base + model.assets];
      const places = { home, assets, list: base + model.list, ...assetNames(theme) };
      return refuse(() =>
        notFound.render({ theme, header, language, ownName: nameInItself(language), text, ...places }),
      );
    },
    composeList(model) {
      const { theme, language } = model;
      const languages = model.languages.map((one) => ({ ...one, title: nameInItself(one) }));
      const given = { ...model, languages, list: '', ownName: nameInItself(language) };
      return list.render({ ...given, text: findMessages(language.tag), ...assetNames(theme) });
    },
    composeRedirect({ url, language }) {
      return redirect.render({ url, language, text: findMessages(language.tag) });
    },
    themeFiles(accents, extras = []) {
      const styles = new Map(
        [undefined, ...accents].map((accent) => files.getStyle(accent)).map((file) => [file.name, file]),
      );
      const added = [...extras].flatMap((extra) => files.getExtra(extra));
      return [files.script, files.button, files.search, files.icon, ...styles.values(), ...added];
    },
  };
}

/** Returns the date of a page in the words of the language around it, in UTC, so that it is the same wherever it is built. */
function formatDate({ updated, language }: PageModel): string | undefined {
  if (updated === undefined || Number.isNaN(Date.parse(updated))) return undefined;
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
  const words = inner.replace(/<a class="anchor"[\s\S]*$|<[^>]*>/g, '').replaceAll('&quot;', '"');
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

/** Says what is wrong with a template, in which an operator may have written anything. */
function refuse<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const [message] = (cause as Error).message.split('\n  at ');
    throw new BuildError('bad-option', `A template cannot be used: ${message!.replace(/\s+/g, ' ')}`, { cause });
  }
}

function getSource(name: string, own: OwnTemplates): nunjucks.LoaderSource {
  if (Object.hasOwn(own, name)) return { src: own[name]!, path: name, noCache: false };
  const obj = templates[name.replace(/^docbuild\//, '')];
  if (!obj) throw new Error(`There is no template "${name}"`);
  // What is compiled already is handed over like this; the package's types know text only.
  const src = { type: 'code', obj } as unknown as string;
  return { src, path: name, noCache: false };
}
