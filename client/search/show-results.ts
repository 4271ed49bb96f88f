import styles from '#search-styles';
import type { Piece } from '../../lib/search/find-passage.ts';
import { createElement } from '../create-element.ts';
import type { Finder, SearchDialog } from './create-dialog.ts';
import type { SearchEngine, ShownPage } from './engine.ts';
import type { RunningEngine } from './engine-thread.ts';

let sheet: CSSStyleSheet | undefined;

function addStyles(): void {
  if (sheet) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Pages that a window has room for; the others are added a moment later, so that no key waits for them. */
const AT_ONCE = 5;

/** Adds the choice of versions to the dialog, and returns what makes rows of what the engine finds. */
export function showResults(
  dialog: SearchDialog,
  engine: RunningEngine,
  { words, hasVersions }: NonNullable<Awaited<ReturnType<SearchEngine['open']>>>,
): Finder {
  addStyles();
  const everywhere = createElement('input', { type: 'checkbox' });
  const scope = createElement('label', { class: 'search-scope' }, everywhere, words.everywhere);
  scope.hidden = !hasVersions;
  dialog.note.append(scope);
  everywhere.addEventListener('change', () => dialog.search());
  const number = new Intl.NumberFormat(document.documentElement.lang || 'en');

  /** The query that the engine is at; one that comes meanwhile waits, and is dropped for the next one. */
  let running: Promise<unknown> = Promise.resolve();
  let question = 0;
  return { find, close };

  function close(): void {
    scope.remove();
    engine.stop();
  }

  async function find(query: string): ReturnType<Finder['find']> {
    const own = ++question;
    const isCurrent = (): boolean => own === question;
    await running;
    if (!isCurrent()) return undefined;
    const finding = engine.find(query, everywhere.checked);
    running = finding.catch(() => {});
    const { pages, total, isPartial, similar, isElsewhere } = await finding;
    if (!isCurrent()) return undefined;
    const excerpts: HTMLElement[] = [];
    const groups = pages.slice(0, AT_ONCE).map((page) => createGroup(page, query, excerpts));
    const found = words.found.replace('{count}', number.format(total));
    const none = words.none.replace('{query}', () => query);
    const text = total === 0 || isElsewhere ? none : isPartial ? words.some : found;
    const first = groups[0] && findBest(pages[0]!, groups[0]);
    const rows = [
      ...(similar.length > 0 ? [createSimilar(similar)] : []),
      ...(isElsewhere ? [createLabel(words.everywhere)] : []),
      ...groups,
    ];
    complete().catch(() => {});
    return { rows, text, first };

    /** Adds what is not seen at once: pages below the others, and excerpts. */
    async function complete(): Promise<void> {
      const reading = engine.readExcerpts();
      reading.catch(() => {});
      for (let at = AT_ONCE; at < pages.length && isCurrent(); at += AT_ONCE) {
        await new Promise((resolve) => setTimeout(resolve));
        const more = pages.slice(at, at + AT_ONCE).map((page) => createGroup(page, query, excerpts));
        groups[groups.length - 1]!.after(...more);
        groups.push(...more);
      }
      const texts = await reading;
      for (let at = 0; at < excerpts.length && isCurrent(); at++) {
        if (at > 0 && at % (2 * AT_ONCE) === 0) await new Promise((resolve) => setTimeout(resolve));
        if (texts[at]!.length === 0) excerpts[at]!.remove();
        else excerpts[at]!.replaceChildren(...markUp(texts[at]!));
      }
    }
  }

  function createGroup(page: ShownPage, query: string, excerpts: HTMLElement[]): HTMLElement {
    const title = createElement('span', { class: 'search-title' }, ...markUp(page.title));
    const versions = page.versions === '' ? [] : [createElement('small', {}, page.versions)];
    const whole = createOption(page.url, query, 'search-page', title, ...versions);
    const sections = page.passages.flatMap(({ url, heading }) => {
      const excerpt = createElement('span', { class: 'search-excerpt', dir: 'auto' });
      excerpts.push(excerpt);
      if (url === page.url) {
        whole.append(excerpt);
        return [];
      }
      const name = createElement('span', { class: 'search-heading' }, ...markUp(heading));
      return [createOption(url, query, 'search-section', name, excerpt)];
    });
    const label = page.title.map(({ text }) => text).join('');
    return createElement('div', { role: 'group', 'aria-label': label }, whole, ...sections);
  }

  function createOption(url: string, query: string, kind: string, ...children: readonly Node[]): HTMLElement {
    const given = { role: 'option', class: kind, href: url, tabindex: '-1', 'aria-selected': 'false' };
    const option = createElement('a', given, ...children);
    option.addEventListener('click', (event) => {
      const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
      dialog.remember(query);
      if (!isElsewhere) dialog.follow(query);
    });
    return option;
  }

  /** Creates the rows of queries that may have been meant. */
  function createSimilar(queries: readonly string[]): HTMLElement {
    const rows = queries.map((query) => {
      const row = createElement('div', { role: 'option', 'aria-selected': 'false', dir: 'auto' }, query);
      row.addEventListener('click', () => dialog.search(query));
      return row;
    });
    return createElement('div', { role: 'group', 'aria-label': words.similar }, createLabel(words.similar), ...rows);
  }
}

/** Returns the row of the best passage of a page. */
function findBest({ passages }: ShownPage, group: HTMLElement): HTMLElement | undefined {
  const rows = [...group.querySelectorAll<HTMLAnchorElement>('a')];
  return rows.find(({ href }) => href === passages[0]?.url);
}

function createLabel(text: string): HTMLElement {
  return createElement('p', { 'aria-hidden': 'true' }, text);
}

function markUp(pieces: readonly Piece[]): readonly (Node | string)[] {
  return pieces.map(({ text, isMarked }) => (isMarked ? createElement('mark', {}, text) : text));
}
