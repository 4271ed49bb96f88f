import styles from '#search-styles';
import { createElement } from '../create-element.ts';
import type { SiteStorage } from '../site-storage.ts';
import { type FoundPage, findPages } from './find-pages.ts';
import { findPassage, markTerms, type Piece } from './find-passage.ts';
import type { SearchIndex } from './open-index.ts';
import { readRecent, storeRecent } from './recent-queries.ts';

/** Longer queries are nobody's own words. */
const MAX_QUERY = 200;
/** Browsers let a page change its address a limited number of times. */
const ADDRESS_MS = 300;

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

/**
 * Adds the search dialog to the page: a combobox whose list is the results. The focus stays in the field, arrow keys choose,
 * Enter follows; the browser keeps the focus inside and gives it back.
 */
export function createDialog(index: SearchIndex, storage: SiteStorage) {
  const { words } = index;
  const input = createElement('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': words.open,
    'aria-autocomplete': 'list',
    'aria-controls': '_search-list',
    'aria-expanded': 'false',
    placeholder: words.open,
    maxlength: String(MAX_QUERY),
    ...{ autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search', dir: 'auto' },
  });
  const close = createElement('button', { type: 'button', class: 'search-close' }, words.close);
  const everywhere = createElement('input', { type: 'checkbox' });
  const scope = createElement('label', { class: 'search-scope' }, everywhere, words.everywhere);
  scope.hidden = index.slugs.length < 2;
  const status = createElement('p', { class: 'search-status', role: 'status' });
  const list = createElement('div', { id: '_search-list', role: 'listbox', 'aria-label': words.results });
  const clear = createElement('button', { type: 'button', class: 'search-clear' }, words.clear);
  const bar = createElement('div', { class: 'search-bar' }, input, close);
  const note = createElement('div', { class: 'search-note' }, status, clear, scope);
  const dialog = createElement('dialog', { class: 'search-dialog', 'aria-label': words.open }, bar, note, list);
  document.body.append(dialog);

  let options: HTMLElement[] = [];
  let active = -1;
  /** Counts what was asked for; answers to earlier questions are not shown. */
  let question = 0;
  let timer = 0;
  let isFollowed = false;

  input.addEventListener('input', () => update());
  everywhere.addEventListener('change', () => {
    update();
    input.focus();
  });
  clear.addEventListener('click', () => {
    storeRecent(storage, []);
    update();
    input.focus();
  });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    // The dialog itself is what surrounds its parts: its backdrop.
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    question++;
    clearTimeout(timer);
    if (!isFollowed) writeAddress('');
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && options.length > 0) {
      activate((active + step + options.length) % options.length);
      event.preventDefault();
    }
    if (event.key === 'Enter' && event.target === input) {
      const { ctrlKey, metaKey, shiftKey } = event;
      options[Math.max(active, 0)]?.dispatchEvent(
        new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
      );
      event.preventDefault();
    }
  });

  return {
    isOnPage: () => dialog.isConnected,
    /** Opens the dialog; a text that is selected by then is replaced by typing. */
    show({ opener, query }: { readonly opener: HTMLElement; readonly query: string }): void {
      if (dialog.open) return;
      isFollowed = false;
      // The browser gives the focus back to what had it.
      opener.focus({ preventScroll: true });
      if (query !== '') input.value = query.slice(0, MAX_QUERY);
      dialog.showModal();
      input.focus();
      input.select();
      update();
    },
  };

  async function update(): Promise<void> {
    const own = ++question;
    const query = input.value.trim();
    clearTimeout(timer);
    timer = window.setTimeout(writeAddress, ADDRESS_MS, query);
    try {
      const loading = index.load(everywhere.checked);
      if (query === '') {
        showRecent();
        // What the first letter needs comes while it is being typed.
        await loading;
        return;
      }
      const waiting = window.setTimeout(() => own === question && say(words.loading), 200);
      const volumes = await loading.finally(() => clearTimeout(waiting));
      if (own === question) await showResults(findPages(volumes, query, index, everywhere.checked), query, own);
    } catch {
      if (own === question) showOptions([], words.failed);
    }
  }

  async function showResults(
    { pages, total, isPartial }: ReturnType<typeof findPages>,
    query: string,
    own: number,
  ): Promise<void> {
    const found =
      isPartial && total > 0
        ? words.some
        : words.found.replace('{count}', new Intl.NumberFormat(document.documentElement.lang || 'en').format(total));
    const excerpts: HTMLElement[] = [];
    const groups = pages.map((page) => createGroup(page, query, excerpts));
    showOptions(groups, pages.length > 0 ? found : words.none.replace('{query}', () => query));
    const passages = pages.flatMap((page) => page.passages);
    const texts = await index.loadTexts(passages);
    if (own !== question) return;
    for (const [at, { terms }] of passages.entries()) {
      if (texts[at] === '') excerpts[at]!.remove();
      else excerpts[at]!.replaceChildren(...markUp(findPassage(texts[at]!, terms)));
    }
  }

  function createGroup(page: FoundPage, query: string, excerpts: HTMLElement[]): HTMLElement {
    const { path, slug, title, passages } = page;
    const terms = new Set(passages.flatMap((passage) => [...passage.terms]));
    const versions = everywhere.checked ? [createElement('small', {}, describeVersions(page))] : [];
    const [whole] = passages.filter(({ id }) => id === '');
    const name = createElement('span', { class: 'search-title' }, ...markUp(markTerms(title, terms)));
    const first = createOption(index.urlOf(slug, path, ''), query, 'search-page', name, ...versions);
    const rows = passages.map((passage) => {
      const excerpt = createElement('span', { class: 'search-excerpt', dir: 'auto' });
      excerpts.push(excerpt);
      if (passage === whole) {
        first.append(excerpt);
        return undefined;
      }
      const heading = createElement(
        'span',
        { class: 'search-heading' },
        ...markUp(markTerms(passage.heading, passage.terms)),
      );
      return createOption(index.urlOf(slug, path, passage.id), query, 'search-section', heading, excerpt);
    });
    return createElement(
      'div',
      { role: 'group', 'aria-label': title },
      first,
      ...rows.filter((row) => row !== undefined),
    );
  }

  function createOption(url: string, query: string, kind: string, ...children: readonly Node[]): HTMLElement {
    const option = createElement(
      'a',
      { role: 'option', class: kind, href: url, tabindex: '-1', 'aria-selected': 'false' },
      ...children,
    );
    option.addEventListener('click', (event) => {
      storeRecent(storage, [query, ...readRecent(storage).filter((other) => other !== query)]);
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      // Whoever comes back finds the results again.
      isFollowed = true;
      clearTimeout(timer);
      writeAddress(query);
      dialog.close();
    });
    return option;
  }

  function showRecent(): void {
    const recent = readRecent(storage);
    const rows = recent.map((query) => {
      const option = createElement(
        'div',
        { role: 'option', class: 'search-recent', 'aria-selected': 'false', dir: 'auto' },
        query,
      );
      option.addEventListener('click', () => {
        input.value = query;
        input.focus();
        update();
      });
      return option;
    });
    showOptions(rows, recent.length > 0 ? words.recent : '', recent.length > 0);
  }

  function showOptions(rows: readonly HTMLElement[], text: string, areRecent = false): void {
    list.replaceChildren(...rows);
    list.hidden = rows.length === 0;
    list.scrollTop = 0;
    clear.hidden = !areRecent;
    options = [...list.querySelectorAll<HTMLElement>('[role="option"]')];
    for (const [at, option] of options.entries()) {
      option.id = `_search-${at}`;
      option.addEventListener('pointermove', () => active !== at && activate(at, false));
    }
    input.setAttribute('aria-expanded', String(rows.length > 0));
    active = -1;
    input.removeAttribute('aria-activedescendant');
    if (options.length > 0 && !areRecent) activate(0);
    say(text);
  }

  function activate(at: number, isScrolled = true): void {
    options[active]?.setAttribute('aria-selected', 'false');
    active = at;
    const option = options[at]!;
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    if (isScrolled) option.scrollIntoView({ block: 'nearest' });
  }

  function say(text: string): void {
    status.textContent = text;
  }

  /** Returns the versions that have the page, those in a row as a range: `v1.4 – v1.6`. */
  function describeVersions({ slugs }: FoundPage): string {
    const places = slugs.map((slug) => index.slugs.indexOf(slug));
    const ranges: string[] = [];
    for (let at = 0; at < slugs.length; ) {
      let end = at;
      while (places[end + 1] === places[end]! + 1) end++;
      const [newest, oldest] = [index.nameOf(slugs[at]!), index.nameOf(slugs[end]!)];
      ranges.push(end === at ? newest : `${oldest} – ${newest}`);
      at = end + 1;
    }
    return words.versions.replace('{versions}', () => ranges.join(', '));
  }
}

function markUp(pieces: readonly Piece[]): readonly (Node | string)[] {
  return pieces.map(({ text, isMarked }) => (isMarked ? createElement('mark', {}, text) : text));
}

/** Writes the query into the address, '' takes it out. */
function writeAddress(query: string): void {
  const url = new URL(location.href);
  if (query === '') url.searchParams.delete('q');
  else url.searchParams.set('q', query);
  try {
    if (url.href !== location.href) history.replaceState(history.state, '', url);
  } catch {
    // A page without an origin of its own keeps its address.
  }
}
