import { afterPaint } from '../after-paint.ts';
import { createElement } from '../create-element.ts';
import type { SiteStorage } from '../site-storage.ts';
import { writeAddress } from './address-query.ts';
import { createCombobox } from './combobox.ts';
import { addModal } from './modal.ts';
import { addRecent, forgetRecent, readRecent } from './recent-queries.ts';
import { createStartRows } from './start-rows.ts';

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
  /** The row above the results. */
  readonly note: HTMLElement;
  /** Searches again, for another text if one is given. */
  search(query?: string): void;
  /** Keeps a query that has found something, for this reader. */
  remember(query: string): void;
  /** Closes it to follow a result, to which the query belongs. */
  follow(query: string): void;
}

/** Browsers let a page change its address a limited number of times. */
const ADDRESS_MS = 300;
/** Shorter waits need no word. */
const WAITING_MS = 200;

/**
 * Adds the search dialog to the page, which takes keys at once: a combobox whose list is the results. Arrow keys choose, Enter follows.
 * `load` gets what finds.
 */
export function createDialog(
  words: readonly string[],
  storage: SiteStorage,
  load: (dialog: SearchDialog) => Promise<Finder>,
): { isOnPage(): boolean; preload(): void; renew(): void; show(opener: HTMLElement, query: string): void } {
  const [open, closing, results, loading, failed, recent, forget, pages, choosing, following] = words;
  const box = createCombobox(open!, results!);
  const { input } = box;
  const close = createElement('button', { type: 'button', class: 'search-close' }, closing!);
  const clear = createElement('button', { type: 'button', class: 'search-clear' }, forget!);
  clear.hidden = true;
  const status = createElement('p', { class: 'search-status', role: 'status' });
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
    box.list,
    createElement('p', { class: 'search-keys', 'aria-hidden': 'true' }, ...keys),
  );
  const showModal = addModal(dialog, () => {
    question++;
    clearTimeout(timer);
    if (!isFollowed) writeAddress('');
  });

  /** Counts what was asked for; answers to earlier questions are not shown. */
  let question = 0;
  let isFollowed = false;
  let timer = 0;

  const show = (rows: readonly HTMLElement[], text: string, hasRecent = false): void => {
    box.show(rows);
    clear.hidden = !hasRecent;
    status.textContent = text;
  };
  const search = async (): Promise<void> => {
    const own = ++question;
    const query = input.value.trim();
    box.expect();
    clearTimeout(timer);
    timer = window.setTimeout(writeAddress, ADDRESS_MS, query);
    const isAsked = (): boolean => query !== '' && own === question;
    const waiting = window.setTimeout(() => {
      if (isAsked()) status.textContent = loading!;
    }, WAITING_MS);
    if (!query) {
      const queries = readRecent(storage);
      const hasRecent = queries.length > 0;
      const rows = createStartRows(queries, pages!, self.search, () => dialog.close());
      show(rows, hasRecent ? recent! : '', hasRecent);
    }
    try {
      // The files for the first letter come while it is being typed.
      const finder = await load(self);
      if (!isAsked()) return;
      const answer = await finder.find(query);
      if (!answer || !isAsked()) return;
      show(answer.rows, answer.text);
      box.choose(answer.first);
    } catch {
      if (isAsked()) show([], failed!);
    } finally {
      clearTimeout(waiting);
    }
  };
  const self: SearchDialog = {
    note,
    search(query = input.value) {
      input.value = query;
      input.focus();
      search();
    },
    remember: (query) => addRecent(storage, query),
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
    forgetRecent(storage);
    self.search();
  });
  dialog.addEventListener('keydown', box.press);
  return {
    isOnPage: () => dialog.isConnected,
    preload() {
      load(self).catch(() => {});
    },
    /** Searches again, unless results are shown: what finds is another one now. */
    renew() {
      if (dialog.open && !box.isAnswered()) search();
    },
    /** Opens the dialog; a text that is selected by then is replaced by typing. */
    show(opener, query) {
      if (dialog.open) return;
      const own = question;
      isFollowed = false;
      if (query) input.value = query.slice(0, input.maxLength);
      showModal(opener);
      input.focus();
      input.select();
      if (query) search();
      // Whoever opened it with a key sees it before anything else is done.
      else afterPaint(() => own === question && dialog.open && search());
    },
  };
}
