import { afterPaint } from '../after-paint.ts';
import { createElement } from '../create-element.ts';
import type { SiteStorage } from '../site-storage.ts';

/** The results of a query, as rows for the list; what they lack at first may be added to them later. */
export interface SearchAnswer {
  readonly rows: readonly HTMLElement[];
  /** Status above them. */
  readonly text: string;
  /** The row that Enter follows unless another one is chosen. */
  readonly first?: HTMLElement | undefined;
}

/** The exports of `search.ts`, which is loaded when a reader is about to search. */
export interface SearchModule {
  /** Opens the index, whose first file has been asked for; rejects where it cannot be had. */
  openSearch(dialog: SearchDialog, manifest: Promise<Response>): Promise<Finder>;
}

/** A search engine that is bound to one dialog. */
export interface Finder {
  /** Returns what is found; undefined where a later query is asked for meanwhile. */
  find(query: string): Promise<SearchAnswer | undefined>;
  /** Ends its thread, and takes what it has added to the dialog away; nothing is found from then on. */
  close(): void;
}

/** The dialog as the loaded part of search knows it. */
export interface SearchDialog {
  readonly element: HTMLElement;
  /** The row above the results. */
  readonly note: HTMLElement;
  /** Searches again, for another text if one is given. */
  search(query?: string): void;
  /** Keeps a query that has found something, for this reader. */
  remember(query: string): void;
  /** Closes it to follow a result, to which the query belongs. */
  follow(query: string): void;
}

interface Watcher extends EventTarget {
  destroy(): void;
}
/** Not of all browsers. */
declare const CloseWatcher: (new () => Watcher) | undefined;

/** Longer queries are nobody's own words. */
const MAX_QUERY = 200;
/** Browsers let a page change its address a limited number of times. */
const ADDRESS_MS = 300;
/** Shorter waits need no word. */
const WAITING_MS = 200;

/**
 * Adds the search dialog to the page, which takes keys at once: a combobox whose list is the results. The focus stays in the field,
 * arrow keys choose, Enter follows; the Tab key stays inside, and what opened it gets the focus back. `load` gets what finds.
 */
export function createDialog(
  words: readonly string[],
  storage: SiteStorage,
  load: (dialog: SearchDialog) => Promise<Finder>,
): { isOnPage(): boolean; preload(): void; renew(): void; show(opener: HTMLElement, query: string): void } {
  const [open, closing, results, loading, failed, recent, forget, pages, choosing, following] = words;
  const input = createElement('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': open!,
    'aria-autocomplete': 'list',
    'aria-controls': '_search-list',
    'aria-expanded': 'false',
    placeholder: open!,
    maxlength: `${MAX_QUERY}`,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'search',
    dir: 'auto',
  });
  const close = createElement('button', { type: 'button', class: 'search-close' }, closing!);
  const clear = createElement('button', { type: 'button', class: 'search-clear' }, forget!);
  const status = createElement('p', { class: 'search-status', role: 'status' });
  const list = createElement('div', { id: '_search-list', role: 'listbox', 'aria-label': results! });
  const note = createElement('div', { class: 'search-note' }, status, clear);
  const keys = [
    ['↑↓', choosing!],
    ['↵', following!],
    ['Esc', closing!],
  ].map(([key, word]) => createElement('span', {}, createElement('kbd', {}, key!), ` ${word}`));
  const dialog = createElement(
    'dialog',
    { class: 'search-dialog', 'aria-label': open!, 'aria-modal': 'true' },
    createElement('div', { class: 'search-bar' }, input, close),
    note,
    list,
    createElement('p', { class: 'search-keys', 'aria-hidden': 'true' }, ...keys),
  );
  const shade = createElement('div', { class: 'search-shade' });
  // Until there is something to show: the first frame comes before that.
  for (const part of [shade, clear, list]) part.hidden = true;
  document.body.append(shade, dialog);

  let active: HTMLElement | undefined;
  /** Counts what was asked for; answers to earlier questions are not shown. */
  let question = 0;
  /** The results of the text in the field are shown. */
  let isAnswered = false;
  /** Enter was pressed before they were. */
  let impatient: KeyboardEvent | undefined;
  let isFollowed = false;
  /** The opener, which gets the focus when the dialog closes. */
  let opened: HTMLElement | undefined;
  let timer = 0;
  /** Tells of the gesture that closes things on phones. */
  let watcher: Watcher | undefined;

  const say = (text: string): void => {
    status.textContent = text;
  };
  const listOptions = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')];
  const activate = (option: HTMLElement | undefined, isScrolled = true): void => {
    active?.setAttribute('aria-selected', 'false');
    active = option;
    if (!option) {
      input.removeAttribute('aria-activedescendant');
      return;
    }
    option.id = `_search-${listOptions().indexOf(option)}`;
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    if (isScrolled) option.scrollIntoView({ block: 'nearest' });
  };
  const show = (rows: readonly HTMLElement[], text: string): void => {
    list.replaceChildren(...rows);
    list.hidden = rows.length === 0;
    list.scrollTop = 0;
    input.setAttribute('aria-expanded', `${rows.length > 0}`);
    clear.hidden = true;
    activate(undefined);
    say(text);
  };
  const search = async (): Promise<void> => {
    const own = ++question;
    const query = input.value.trim();
    isAnswered = false;
    impatient = undefined;
    clearTimeout(timer);
    timer = window.setTimeout(writeAddress, ADDRESS_MS, query);
    const waiting = window.setTimeout(() => own === question && query && say(loading!), WAITING_MS);
    if (!query) showStart();
    try {
      // The files for the first letter come while it is being typed.
      const finder = await load(self);
      if (!query || own !== question) return;
      const answer = await finder.find(query);
      if (!answer || own !== question) return;
      show(answer.rows, answer.text);
      isAnswered = true;
      activate(answer.first ?? listOptions()[0], false);
      if (impatient && active) click(active, impatient);
    } catch {
      if (query && own === question) show([], failed!);
    } finally {
      clearTimeout(waiting);
    }
  };
  const self: SearchDialog = {
    element: dialog,
    note,
    search(query = input.value) {
      input.value = query;
      input.focus();
      search();
    },
    remember: (query) => storeRecent([query, ...readRecent().filter((other) => other !== query)]),
    follow(query) {
      // Whoever comes back finds the results again.
      isFollowed = true;
      clearTimeout(timer);
      writeAddress(query);
      dialog.close();
    },
  };

  input.addEventListener('input', search);
  close.addEventListener('click', () => dialog.close());
  clear.addEventListener('click', () => {
    storeRecent([]);
    self.search();
  });
  list.addEventListener('pointermove', ({ target }) => {
    const option = (target as Element).closest<HTMLElement>('[role="option"]');
    if (option && option !== active) activate(option, false);
  });
  shade.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    // Browsers tell of it later, when it may have been opened again.
    if (dialog.open) return;
    shade.hidden = true;
    watcher?.destroy();
    opened?.focus({ preventScroll: true });
    question++;
    clearTimeout(timer);
    if (!isFollowed) writeAddress('');
  });
  dialog.addEventListener('keydown', (event) => {
    const { key, target, isComposing, shiftKey } = event;
    if (isComposing) return;
    if (key === 'Escape') {
      event.preventDefault();
      dialog.close();
    } else if (key === 'Tab') {
      // All of it here: browsers also stop at a list that scrolls.
      const stops = [...dialog.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.getClientRects()[0]);
      const at = stops.indexOf(document.activeElement as HTMLElement);
      event.preventDefault();
      stops.at(shiftKey && at < 0 ? -1 : (at + (shiftKey ? -1 : 1)) % stops.length)?.focus();
    }
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const options = step ? listOptions() : [];
    if (options.length > 0) {
      const at = active ? options.indexOf(active) + step : step < 0 ? -1 : 0;
      activate(options[(at + options.length) % options.length]);
      event.preventDefault();
    }
    if (key !== 'Enter' || target !== input) return;
    event.preventDefault();
    if (input.value.trim() && !isAnswered) impatient = event;
    else if (active) click(active, event);
  });
  return {
    isOnPage: () => dialog.isConnected,
    preload() {
      load(self).catch(() => {});
    },
    /** Searches again, unless results are shown: what finds is another one now. */
    renew() {
      if (dialog.open && !(isAnswered && active)) search();
    },
    /** Opens the dialog; a text that is selected by then is replaced by typing. */
    show(opener, query) {
      if (dialog.open) return;
      const own = question;
      isFollowed = false;
      opened = opener;
      if (query) input.value = query.slice(0, MAX_QUERY);
      // `showModal` would have the browser find the style of each element of the page anew, which takes longer than all else.
      shade.hidden = false;
      dialog.show();
      watcher?.destroy();
      watcher = typeof CloseWatcher === 'undefined' ? undefined : new CloseWatcher();
      watcher?.addEventListener('close', () => dialog.close());
      input.focus();
      input.select();
      if (query) search();
      // Whoever opened it with a key sees it before anything else is done.
      else afterPaint(() => own === question && dialog.open && search());
    },
  };

  /** Shows what was found before in this browser, and the site's top pages. */
  function showStart(): void {
    const queries = readRecent();
    const rows = queries.map((query) => {
      const row = createElement('div', { role: 'option', class: 'search-recent', dir: 'auto' }, query);
      row.addEventListener('click', () => self.search(query));
      return row;
    });
    const links = listTopPages().map(({ href, textContent }) =>
      createElement('a', { role: 'option', href, tabindex: '-1' }, textContent!),
    );
    for (const link of links) link.addEventListener('click', () => dialog.close());
    const group = createElement(
      'div',
      { role: 'group', 'aria-label': pages! },
      createElement('p', { 'aria-hidden': 'true' }, pages!),
      ...links,
    );
    show([...rows, ...(links.length > 0 ? [group] : [])], queries.length > 0 ? recent! : '');
    clear.hidden = queries.length === 0;
  }

  function readRecent(): readonly string[] {
    const queries = storage.read(NAME);
    return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string').slice(0, MAX_RECENT) : [];
  }

  function storeRecent(queries: readonly string[]): void {
    storage.write(NAME, queries.slice(0, MAX_RECENT));
  }
}

function click(option: HTMLElement, { ctrlKey, metaKey, shiftKey }: KeyboardEvent): void {
  option.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

/** Stops of the Tab key. */
const STOPS = 'input, button, a[href]:not([tabindex="-1"])';

const NAME = 'search';
const MAX_RECENT = 4;
const MAX_PAGES = 6;

/**
 * Returns links to the first pages of each section of the sidebar, or else of the header, of each as many as there is room for. Other
 * sites are nothing that search finds.
 */
function listTopPages(): readonly HTMLAnchorElement[] {
  const [header, sidebar] = [':scope > .drawer-links > li', ':scope > :not(.drawer-links) > li'].map((sections) =>
    [...(document.querySelector('#_sidebar')?.querySelectorAll(sections) ?? [])].map((section) =>
      [...section.querySelectorAll<HTMLAnchorElement>('a[href]:not([aria-current])')].filter(
        ({ origin }) => origin === location.origin,
      ),
    ),
  );
  const sections = sidebar!.some((links) => links.length > 0) ? sidebar! : header!;
  const ranked = sections.flatMap((links) => links.map((link, rank) => ({ link, rank })));
  const chosen = new Set(
    ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, MAX_PAGES)
      .map(({ link }) => link),
  );
  return sections.flatMap((links) => links.filter((link) => chosen.has(link)));
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
