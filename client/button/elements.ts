import { createElement } from '../create-element.ts';
import type { FoundDescription } from './description.ts';

/**
 * Creates a link from the page at hand to what takes its place in a language and version, with the page's query and hash.
 * `missing` marks it when that is another page.
 */
export function createLink(
  { here, site, tags }: FoundDescription,
  missing: string,
  lang: string,
  version: string,
  text: Node | string,
): HTMLAnchorElement {
  const inLanguage = here.alternates.filter((alternate) => alternate.lang === lang);
  // A language that lacks the version leads to its newest, and says so.
  const found = inLanguage.find((alternate) => alternate.version === version) ?? inLanguage[0]!;
  const link = createElement(
    'a',
    {
      hreflang: tags?.[lang] ?? lang,
      'aria-current': found.exists && lang === here.lang && found.version === here.version && 'true',
    },
    text,
    version && version !== found.version ? ` (${found.version})` : '',
    found.exists ? '' : createElement('small', {}, ` ${missing}`),
  );
  const part = found.sections?.[document.querySelector(':target')?.id as string];
  // The dot keeps `javascript:` and `//host` relative.
  link.href = new URL(`./${part ?? found.url}`, site).href;
  if (!link.href.startsWith(site)) link.href = site;
  link.search = location.search;
  if (!part) link.hash = found.section ?? location.hash;
  return link;
}

/** Returns the name of a language in that language. Throws for an invalid tag. */
export function nativeName(tag: string): string {
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag)!;
}

export function createLanguageLink(description: FoundDescription, missing: string, lang: string): HTMLAnchorElement {
  const tag = description.tags?.[lang] ?? lang;
  const name = createElement('bdi', { lang: tag, dir: 'auto' }, nativeName(tag));
  return createLink(description, missing, lang, description.here.version, name);
}

/** Creates a link to a version in the language of the page; `latest` is shown with what it stands for. */
export function createVersionLink(description: FoundDescription, missing: string, version: string): HTMLAnchorElement {
  const text = version === 'latest' ? `${version} → ${description.latest}` : version;
  return createLink(description, missing, description.here.lang, version, text);
}

export function isTag({ refs, latest }: FoundDescription, version: string): boolean {
  return refs[version === 'latest' ? latest : version]?.kind === 'tag';
}

export function createGroup(title: string, links: readonly Node[]): HTMLUListElement {
  return createElement(
    'ul',
    { 'aria-label': title, hidden: !links[0] && 'true' },
    ...links.map((link) => createElement('li', {}, link)),
  );
}

/** So many links need no filter. */
export const UNFILTERED = 10;

/**
 * Puts a box above lists of many links that leaves those with what is typed, and says how many they are. Brings the current one
 * into sight.
 */
export function addFilter(panel: HTMLElement, name: string, groups: readonly HTMLUListElement[]): void {
  const items = groups.flatMap(({ children }) => [...children] as HTMLElement[]);
  if (items[UNFILTERED]) {
    const count = createElement('output');
    const input = createElement('input', { type: 'search', placeholder: name, 'aria-label': name });
    input.oninput = () => {
      for (const item of items) item.hidden = !item.textContent!.toLowerCase().includes(input.value.toLowerCase());
      for (const group of groups) group.hidden = !group.querySelector('li:not([hidden])');
      count.textContent = `${items.filter(({ hidden }) => !hidden).length} / ${items.length}`;
    };
    panel.prepend(input, count);
  }
  // The window is not scrolled. The current one is in the middle; without one the place is no number, which is the top.
  const current = items.find((item) => item.querySelector('[aria-current]'));
  panel.scrollTop = (current?.offsetTop as number) - panel.clientHeight / 2;
}
