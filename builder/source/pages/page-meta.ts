import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import {
  type Data,
  isFalse,
  isTrue,
  type LineOf,
  list,
  map,
  number,
  own,
  ownOf,
  readDate,
  text,
  type WrittenUrl,
} from '../../config/data-values.ts';
import type { FrontMatterRules } from '../../generators/generator.ts';
import { GENERATORS, type Generator, rulesOf } from '../../generators/generators.ts';
import type { ContentsLinks } from '../navigation/contents.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';
import { type LandingPage, readLandingPage } from './landing-page.ts';
import { type PageFrame, readFrame } from './page-frame.ts';
import { findMistypedKeys, findUnusableValues, isRedirectTarget } from './unusable-values.ts';

/** The front matter of a page, as far as it describes the page; other keys belong to other tools and are ignored. */
export interface PageMeta extends LandingPage {
  readonly title: string | undefined;
  /** The page's title in the navigation, if it differs. */
  readonly label: string | undefined;
  readonly description: string | undefined;
  /** Position among its neighbours; pages without one come after those with one. */
  readonly order: number | undefined;
  /** Its date, in milliseconds since 1970: among pages without an order, Hugo shows the newest first. */
  readonly date: number | undefined;
  readonly layout: 'doc' | 'home';
  readonly hidesTitle: boolean;
  /** The reason why the page is not published, as its author wrote it: `draft: true`. */
  readonly draft: string | undefined;
  /** `hidden`: not in the navigation; `unlisted`: nor for search engines. */
  readonly visibility: 'listed' | 'hidden' | 'unlisted';
  readonly frame: PageFrame;
  /** Readers may search for it: its front matter does not say `search: false`. */
  readonly isSearchable: boolean;
  /** The URL of the page, if it differs from its file's. */
  readonly address: WantedAddress | undefined;
  /** Old URLs that lead to the page. */
  readonly aliases: readonly WrittenUrl[];
  /** The URL to which readers are redirected. */
  readonly redirectTo: WrittenUrl | undefined;
  /** The page's id in Docusaurus' navigation, instead of its file's name. */
  readonly id: string | undefined;
  /** Title of its parent in the navigation (Just the Docs), with the titles that distinguish pages of that title. */
  readonly parent:
    | { readonly title: string; readonly above: string | undefined; readonly ancestor: string | undefined }
    | undefined;
  readonly problems: readonly FrontMatterProblem[];
  /** Its links, where the text is nothing but a list of them; looked for where no generator is recognised. */
  readonly contents?: ContentsLinks | undefined;
}

/**
 * A URL in front matter, as written: `whole` is relative to the root of the page's language, `beside` to the folder of
 * its file, `name` replaces the file's name.
 */
export interface WantedAddress {
  readonly kind: 'whole' | 'beside' | 'name';
  readonly path: string;
  /** In the file, from 1. */
  readonly line: number;
}

const LABEL_KEYS =
  'sidebar_label linkTitle linktitle nav_title navTitle menu_name menu_title short_title shortTitle sidebarTitle sidebar_title'.split(
    ' ',
  );
/** Docusaurus, Just the Docs, Hugo and Zola, Hugo's themes. */
const ORDER_KEYS = ['order', 'sidebar_position', 'nav_order', 'weight'];
const HIDDEN_KEYS = ['nav_exclude', 'hidden', 'toc_hide', 'bookHidden', 'bookhidden', 'geekdocHidden', 'geekdochidden'];

/**
 * Reads the known keys of all generators; if generators differ in the meaning of a key, the one that the page was
 * written for decides. `lineOf` finds the lines of keys; it is called only where a warning may name the line. `isToml`: they
 * are TOML, which Hugo and Zola alone read.
 */
export function readPageMeta(
  data: Data,
  generator?: Generator,
  lineOf: LineOf = () => 1,
  { isToml = false }: { readonly isToml?: boolean } = {},
): PageMeta {
  const rules = rulesOf(generator).frontMatter ?? {};
  const keys = rules.ignoresCase ? withLowerCase(data) : data;
  const meta = readKnownKeys(keys, rules, lineOf, isToml);
  const found = [
    ...findUnusableValues(keys, { rules, isOwn: generator === undefined }, lineOf),
    ...findMistypedKeys(keys, knownKeys, lineOf),
  ];
  return found.length > 0 ? { ...meta, problems: [...meta.problems, ...found] } : meta;
}

function readKnownKeys(keys: Data, rules: FrontMatterRules, lineOf: LineOf, isToml = false): PageMeta {
  const sidebar = map(own(keys, 'sidebar')) ?? {};
  // Nuxt Content.
  const navigation = map(own(keys, 'navigation')) ?? {};
  const landing = readLandingPage(keys, lineOf);
  const { frame, problems } = readFrame(keys, rules, lineOf);
  const title = text(own(keys, 'title'));
  const layout = isLandingPage(keys, landing, rules) ? 'home' : 'doc';
  const name = layout === 'home' && rules.titlesOpening ? (landing.hero?.name ?? title) : landing.hero?.name;
  return {
    title,
    label: text(ownOf(keys, LABEL_KEYS)) ?? text(own(sidebar, 'label')) ?? text(own(navigation, 'title')),
    description: text(own(keys, 'description')),
    order: readOrder(keys, sidebar, rules),
    date: rules.isByDate ? readDate(own(keys, 'date')) : undefined,
    layout,
    hero: landing.hero && { ...landing.hero, name },
    features: landing.features,
    logos: landing.logos,
    closing: landing.closing,
    hidesTitle: isTrue(own(keys, 'hide_title')) || isBareLayout(keys, rules),
    draft: findDraft(keys, rules),
    visibility: readVisibility(keys, sidebar),
    frame,
    isSearchable: isSearchable(keys),
    address: findAddress(keys, rules, lineOf),
    aliases: readAliases(keys, isToml || rules.hasAliases === true, lineOf),
    redirectTo: findRedirect(keys, rules, lineOf),
    id: rules.hasIds ? text(own(keys, 'id')) : undefined,
    parent: readParent(keys),
    problems: layout === 'home' ? [...problems, ...landing.problems] : problems,
  };
}

const knownKeys = listKnownKeys();

/** Returns all keys that are read for some generator, by letting a map be read that takes note of them. */
function listKnownKeys(): ReadonlySet<string> {
  const asked = new Set<string>();
  const data = new Proxy<Data>(
    {},
    {
      getOwnPropertyDescriptor(_, key) {
        asked.add(String(key));
        return undefined;
      },
    },
  );
  for (const generator of [undefined, ...GENERATORS])
    readKnownKeys(data, rulesOf(generator).frontMatter ?? {}, () => 1);
  return asked;
}

function withLowerCase(data: Data): Data {
  const lower = Object.entries(data).map(([key, value]) => [key.toLowerCase(), value] as const);
  return { ...Object.fromEntries(lower), ...data };
}

function readOrder(data: Data, sidebar: Data, { isByDate, hasPositions }: FrontMatterRules): number | undefined {
  const keys = hasPositions ? [...ORDER_KEYS, 'position'] : ORDER_KEYS;
  for (const value of [...keys.map((key) => own(data, key)), own(sidebar, 'order')]) {
    const order = number(value);
    if (order !== undefined && !(isByDate && order === 0)) return order;
  }
  return undefined;
}

function isLandingPage(data: Data, landing: LandingPage, rules: FrontMatterRules): boolean {
  const hasOpening = landing.hero !== undefined || landing.features.length > 0;
  if (rules.isLandingPage) return rules.isLandingPage(data, hasOpening);
  return isTrue(own(data, 'home')) ? hasOpening : own(data, 'layout') === 'home';
}

/** Layouts without anything around the text. */
function isBareLayout(data: Data, { layouts }: FrontMatterRules): boolean {
  const layout = own(data, 'layout');
  return layouts !== undefined && layout !== undefined && !layouts.includes(layout as string);
}

/**
 * Returns the reason why a page is not published. Dates in the future or past are none: the content of a site must not
 * depend on the day it is built.
 */
function findDraft(data: Data, rules: FrontMatterRules): string | undefined {
  if (isTrue(own(data, 'draft'))) return 'draft: true';
  if (isFalse(own(data, 'published'))) return 'published: false';
  return rules.findDraft?.(data);
}

/** Hugo's options for one page; they had an underscore before. */
function readBuild(data: Data): Data {
  return map(own(data, 'build')) ?? map(own(data, '_build')) ?? {};
}

function readVisibility(data: Data, sidebar: Data): PageMeta['visibility'] {
  if (isTrue(own(data, 'unlisted'))) return 'unlisted';
  const isListed = own(readBuild(data), 'list');
  const isHidden =
    HIDDEN_KEYS.some((key) => isTrue(own(data, key))) ||
    isTrue(own(sidebar, 'hidden')) ||
    isTrue(own(sidebar, 'exclude')) ||
    isFalse(own(data, 'navigation')) ||
    isFalse(isListed) ||
    isListed === 'never';
  return isHidden ? 'hidden' : 'listed';
}

/** Starlight's `pagefind`, Material for MkDocs' `search.exclude`, Just the Docs' `search_exclude`. */
function isSearchable(data: Data): boolean {
  const isExcluded = isTrue(own(data, 'search_exclude')) || isTrue(own(map(own(data, 'search')) ?? {}, 'exclude'));
  return !isExcluded && !isFalse(own(data, 'search')) && !isFalse(own(data, 'pagefind'));
}

function findAddress(data: Data, rules: FrontMatterRules, lineOf: LineOf): WantedAddress | undefined {
  const [kind, key] = rules.findAddress?.(data) ?? [];
  const path = key === undefined ? undefined : text(own(data, key));
  return path === undefined ? undefined : { kind: kind!, path, line: lineOf([key!]) };
}

function findRedirect(data: Data, { redirectsFromRoot }: FrontMatterRules, lineOf: LineOf): WrittenUrl | undefined {
  const target = text(own(data, 'redirect_to')) ?? text(list(own(data, 'redirect_to'))[0]);
  if (target === undefined || !isRedirectTarget(target)) return undefined;
  const isPath = !isAbsoluteUrl(target) && !/^[/#?@]/.test(target);
  return { url: isPath && redirectsFromRoot ? `/${target}` : target, line: lineOf(['redirect_to']) };
}

function readParent(data: Data): PageMeta['parent'] {
  const title = text(own(data, 'parent'));
  const [above, ancestor] = [text(own(data, 'grand_parent')), text(own(data, 'ancestor'))];
  return title === undefined ? undefined : { title, above, ancestor };
}

/** In Hugo and Zola, aliases are old URLs; in other tools they may be other names of something. */
function readAliases(data: Data, isSure: boolean, lineOf: LineOf): readonly WrittenUrl[] {
  const texts = (key: string): readonly WrittenUrl[] => {
    const value = own(data, key);
    return (Array.isArray(value) ? list(value) : [value]).flatMap((item, at) => {
      const url = typeof item === 'string' ? text(item) : undefined;
      return url === undefined ? [] : [{ url, line: lineOf([key, at]) }];
    });
  };
  const aliases = texts('aliases');
  return [...(isSure ? aliases : aliases.filter(({ url }) => url.startsWith('/'))), ...texts('redirect_from')];
}
