/**
 * Compares the page with another version of it, loaded when the address has `?compare=`: both pages are fetched as they were
 * published, and what a reader sees of them is compared here.
 */
import styles from '#compare-styles';
import type { FoundDescription, SharingBody } from './button/description.ts';
import { type Comparison, comparePages } from './compare/compare-pages.ts';
import type { CompareWords } from './compare/compare-words.ts';
import { createBar } from './compare/create-bar.ts';
import { type LoadFailure, loadPage } from './compare/load-page.ts';
import { nameLinks } from './compare/name-links.ts';
import { CONTENT, type Reading, readPage } from './compare/read-page.ts';
import { showComparison } from './compare/show-comparison.ts';
import { addressOf, findPlace, findVersion, nameVersion, type Versions } from './compare/versions.ts';
import { type Walk, walkChanges } from './compare/walk-changes.ts';
import { createElement } from './create-element.ts';
import { openStorage, type SiteStorage } from './site-storage.ts';

const NAME = 'compare';
/** Versions that have the page, named where one has not. */
const MAX_LINKS = 24;
/** Characters that are shown of the name of a version that does not exist. */
const MAX_NAME = 100;
/** From this width on, two pages fit beside each other. */
const WIDE = '(min-width: 60rem)';

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/** Shows the comparison in place of the page's content, or says why there is none. */
export async function openComparison(words: CompareWords): Promise<void> {
  const main = document.querySelector<HTMLElement>('#_content')!;
  const wanted = new URLSearchParams(location.search).get('compare') ?? '';
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const note = createElement('div', { class: 'notice compare-note', role: 'status' }, words.loading);
  main.prepend(note);
  const say = (text: string, ...more: readonly Node[]): void => {
    note.replaceChildren(createElement('p', {}, text), ...more);
    note.setAttribute('role', 'alert');
  };
  const retry = (): HTMLElement => {
    const button = createElement('button', { type: 'button', class: 'button' }, words.retry);
    button.addEventListener('click', () => location.reload());
    return button;
  };
  let description: FoundDescription;
  try {
    description = await (document.body as SharingBody).docbuild!();
  } catch {
    say(fill(words.failed, { version: wanted }), retry());
    return;
  }
  const from = findVersion(description, wanted);
  const to = description.here.version;
  // What is shown is no page of a version, but says that there is none, or tells of the versions.
  if (!findPlace(description, to)?.exists) {
    note.remove();
    return;
  }
  if (from === undefined) {
    const version = wanted.length > MAX_NAME ? `${wanted.slice(0, MAX_NAME)}…` : wanted;
    say(fill(words.unknown, { version }), listVersions(description, to));
    return;
  }
  const place = findPlace(description, from);
  const missing = (): void =>
    say(
      fill(words.missing, { version: nameVersion(description, from) }),
      listVersions(description, to, words.elsewhere),
    );
  if (!place?.exists) {
    missing();
    return;
  }
  const [oldUrl, nextUrl] = [new URL(`./${place.url}`, description.site).href, location.href.split(/[?#]/)[0]!];
  const pages = await Promise.all([oldUrl, nextUrl].map(loadPage));
  const readings = pages.map((page, at) => {
    if (typeof page === 'string') return page;
    const address = [oldUrl, nextUrl][at]!;
    const base = { base: address, nameLink: nameLinks(description, address) };
    return readPage(page, base) ?? 'missing';
  });
  const wrong = readings.findIndex((reading) => typeof reading === 'string');
  if (wrong >= 0) {
    const name = nameVersion(description, wrong === 0 ? from : to);
    const failure = readings[wrong] as LoadFailure;
    if (failure === 'missing') missing();
    else say(fill(failure === 'long' ? words.long : words.failed, { version: name }), retry());
    return;
  }
  const [old, next] = readings as [Reading, Reading];
  const [oldTag, nextTag] = [old, next].map(({ languageTag }) => languageTag) as [string, string];
  if (oldTag !== nextTag) {
    const [tag, version] = oldTag === '' ? [nextTag, to] : [oldTag, from];
    const language = nameLanguage(tag);
    say(
      fill(words.untranslated, { version: nameVersion(description, version), language }),
      listVersions(description, to),
    );
    return;
  }
  const comparison = comparePages(old.page, next.page);
  const notes = [
    ...(comparison.isCoarse ? [words.coarse] : []),
    ...(isElsewhere(description, place.url)
      ? [
          fill(words.renamed, {
            version: nameVersion(description, from),
            path: decodeURI(oldUrl.slice(description.site.length)),
          }),
        ]
      : []),
  ];
  if (notes.length > 0) say(notes.join(' '));
  else note.remove();
  showPages(main, { comparison, old, next, words, description, versions: { from, to } });
}

/** Puts the comparison in place of the content of the page, as its reader wants to see it, and a bar above it. */
function showPages(
  main: HTMLElement,
  {
    comparison,
    old,
    next,
    words,
    description,
    versions,
  }: {
    readonly comparison: Comparison;
    readonly old: Reading;
    readonly next: Reading;
    readonly words: CompareWords;
    readonly description: FoundDescription;
    readonly versions: Versions;
  },
): void {
  const storage = openStorage(import.meta.url);
  const view = readView(storage);
  const wide = matchMedia(WIDE);
  const article = createElement('article', { class: 'prose comparison', lang: next.languageTag });
  if (next.languageTag !== '') article.dir = main.querySelector('article')!.dir;
  let walk: Walk;
  const draw = (): void => {
    const isBeside = view.isBeside && wide.matches;
    document.documentElement.dataset['compare'] = isBeside ? 'beside' : 'inline';
    const heads = isBeside
      ? [
          createElement(
            'div',
            { class: 'compare-row compare-heads' },
            ...[versions.from, versions.to].map((version) =>
              createElement(
                'div',
                { class: 'compare-side' },
                createElement('bdi', {}, nameVersion(description, version)),
              ),
            ),
          ),
        ]
      : [];
    article.replaceChildren(...heads, ...showComparison(comparison, { old, next }, words, { ...view, isBeside }));
    walk = walkChanges(article, comparison.total, (number) => bar.count(number, comparison.total));
    bar.count(0, comparison.total);
  };
  const change = (): void => {
    storage.write(NAME, [view.isBeside, view.hidesSame]);
    draw();
  };
  const bar = createBar(description, versions, words, {
    ...view,
    setBeside(isBeside) {
      view.isBeside = isBeside;
      change();
    },
    setHiding(hidesSame) {
      view.hidesSame = hidesSame;
      change();
    },
    step: (by) => walk.step(by),
  });
  const [first, ...rest] = main.querySelectorAll(CONTENT);
  first!.replaceWith(article);
  for (const part of rest) part.remove();
  main.prepend(bar.element);
  draw();
  wide.addEventListener('change', () => view.isBeside && draw());
  // On the body, so that the preview drops it with the body that it replaces.
  document.body.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented, target } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
    if (
      (target as Element).closest('input:not([type="radio"], [type="checkbox"]), select, textarea, [contenteditable]')
    )
      return;
    const by = /^[nj]$/i.test(key) ? 1 : /^[pk]$/i.test(key) ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    walk.step(by);
  });
}

function readView(storage: SiteStorage): { isBeside: boolean; hidesSame: boolean } {
  const stored = storage.read(NAME);
  const [isBeside, hidesSame] = Array.isArray(stored) ? stored : [];
  return { isBeside: isBeside === true, hidesSame: hidesSame === true };
}

function isElsewhere({ here }: FoundDescription, url: string): boolean {
  const shorten = (path: string): string => path.replace(/(^|\/)index(\.html)?$/, '$1').replace(/\.html$/, '');
  return shorten(decodeURIComponent(url.split('/').slice(2).join('/'))) !== shorten(here.path ?? '');
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

function nameLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(document.documentElement.lang, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Lists links that compare the page with the versions that have it. */
function listVersions(description: FoundDescription, to: string, title = ''): Node {
  const { versions, here } = description;
  const links = (versions[here.lang] ?? []).flatMap((from) => {
    const address = from !== to && findPlace(description, from)?.exists && addressOf(description, { from, to });
    return address ? [createElement('li', {}, createElement('a', { href: address }, from))] : [];
  });
  return createElement('ul', { class: 'compare-versions', 'aria-label': title }, ...links.slice(0, MAX_LINKS));
}
