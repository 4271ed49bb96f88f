/**
 * The script of a board of translations: shows any version, from the file that the page names, and of its pages those in one state.
 * The page comes with those of the first version.
 */
import { createElement } from './create-element.ts';

/** The content of the file; see `TranslationBoard`. */
interface Board {
  readonly versions: readonly { readonly name: string; readonly slug: string; readonly percent: number }[];
  readonly pages: readonly BoardPage[];
}

interface BoardPage {
  readonly path: string;
  readonly original?: string;
  readonly title: string;
  readonly edit?: string;
  readonly states: readonly State[];
}

interface State {
  readonly versions: readonly number[];
  readonly state: string;
  readonly since?: string;
  readonly inStep?: string;
  readonly amount?: number;
  readonly sections?: readonly Section[];
}

interface Section {
  readonly state: string;
  readonly id: string;
  readonly heading: string;
  readonly inStep?: string;
}

/** As the page comes. */
const ORDER = ['missing', 'behind', 'current'];

const article = document.querySelector<HTMLElement>('[data-board]');
if (article) setUp(article);

function setUp(article: HTMLElement): void {
  const { board = '', own = '', original = '', originalTag = '', edit = '', words = '{}' } = article.dataset;
  const texts = JSON.parse(words) as Readonly<Record<string, string>>;
  const form = article.querySelector('form')!;
  const { version, state } = form.elements as unknown as Readonly<Record<string, HTMLSelectElement | undefined>>;
  const body = article.querySelector<HTMLTableSectionElement>('.board tbody')!;
  const caption = article.querySelector<HTMLElement>('.board caption')!;
  const percent = new Intl.NumberFormat([document.documentElement.lang, 'en'], { style: 'percent' });
  let answer: Promise<Board> | undefined;
  let shown = 0;

  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  state!.addEventListener('change', filter);
  version?.addEventListener('change', show);
  for (const link of article.querySelectorAll<HTMLAnchorElement>('a[href^="?version="]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      choose(link.search);
      form.scrollIntoView();
    });
  }
  choose(location.search);
  filter();

  function choose(query: string): void {
    const slug = new URLSearchParams(query).get('version');
    const links = [...article.querySelectorAll<HTMLAnchorElement>('a[href^="?version="]')];
    const place = links.findIndex(({ search }) => new URLSearchParams(search).get('version') === slug);
    if (!version || place < 0) return;
    version.selectedIndex = place;
    void show();
  }

  function filter(): void {
    const rows = [...body.rows];
    for (const row of rows) row.hidden = state!.value !== '' && !row.classList.contains(state!.value);
    form.querySelector('output')!.value = `${rows.filter((row) => !row.hidden).length} / ${rows.length}`;
  }

  async function show(): Promise<void> {
    const number = version!.selectedIndex;
    try {
      answer ??= load();
      const { versions, pages } = await answer;
      // Another one may have been chosen meanwhile.
      if (number !== version!.selectedIndex || number === shown) return;
      const { name, slug, percent: share } = versions[number]!;
      const found = pages.flatMap((page) => {
        const state = page.states.find((one) => one.versions.includes(number));
        return state ? [{ page, state }] : [];
      });
      found.sort((a, b) => ORDER.indexOf(a.state.state) - ORDER.indexOf(b.state.state));
      body.replaceChildren(...found.map(({ page, state }) => createRow(page, state, slug)));
      caption.textContent = `${name}: ${percent.format(share / 100)}`;
      shown = number;
      filter();
    } catch {
      answer = undefined;
      version!.selectedIndex = shown;
    }
  }

  async function load(): Promise<Board> {
    const response = await fetch(board);
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as Board;
  }

  function createRow(page: BoardPage, found: State, slug: string): HTMLTableRowElement {
    const isMissing = found.state === 'missing';
    const place = (release: string, path: string): string =>
      release.replace('{slug}', encodeURIComponent(slug)) +
      path
        .replace(/(^|\/)index\.html$/, '$1')
        .split('/')
        .map(encodeURIComponent)
        .join('/');
    const from = place(original, page.original ?? page.path);
    const compareWith = (version: string | undefined): string =>
      version === undefined ? '' : `?compare=${encodeURIComponent(version)}`;
    const placeSection = ({ state, id, inStep }: Section): string =>
      from +
      (state === 'missing' ? '' : compareWith(inStep)) +
      (id === '' || state === 'removed' ? '' : `#${encodeURIComponent(id)}`);
    const lang = { lang: originalTag, dir: 'auto' };
    const title = createElement(
      'th',
      { scope: 'row' },
      createElement('a', { href: place(own, page.path), ...(isMissing && lang) }, page.title),
      ...(page.edit ? [' ', createElement('a', { class: 'board-edit', href: page.edit }, edit)] : []),
      ...(found.sections ?? []).map((section) =>
        createElement(
          'small',
          {},
          createElement('span', { class: 'board-mark' }, texts[section.state] ?? ''),
          ' ',
          createElement('a', { href: placeSection(section), ...lang }, section.heading || page.title),
        ),
      ),
    );
    const share = found.amount === undefined ? '' : percent.format(Math.max(0.01, found.amount));
    const compare = found.inStep === undefined ? '' : from + compareWith(found.inStep);
    return createElement(
      'tr',
      { class: found.state },
      title,
      createElement('td', {}, createElement('span', { class: 'board-state' }, texts[found.state] ?? '')),
      createElement('td', {}, found.since ?? ''),
      createElement(
        'td',
        {},
        compare ? createElement('a', { href: compare, title: texts['changes'] ?? '' }, share) : share,
      ),
    );
  }
}
