import { createElement } from '../create-element.ts';
import { type Combined, combineChanges, type Step } from './combine-changes.ts';

type Words = Readonly<
  Record<
    ('from' | 'to' | 'none' | 'more' | 'amount' | 'compare' | 'failed') | ('added' | 'removed' | 'moved' | 'changed'),
    string
  >
>;

/** A version in the list of the page: its slug, its name, and the version it is compared with. */
interface Version {
  readonly slug: string;
  readonly name: string;
  readonly older: string | undefined;
  /** Page of what changed in it. */
  readonly url: string;
}

const KINDS = ['added', 'removed', 'moved', 'changed'] as const;
/** Pages of each kind that are listed. */
const MAX_PAGES = 500;
/** Pages that are asked for at once. */
const AT_ONCE = 6;
/** Pages of which is looked up whether they say the same. */
const MAX_LOOKED_UP = 60;

/**
 * Lets readers choose two versions on the page that lists what changed in each: what changed between them is put together from the
 * pages about those between them. The choice is in the address.
 */
export async function chooseVersions(form: HTMLFormElement): Promise<void> {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-older]')];
  const versions = readVersions(links);
  if (versions.size < 2) return;
  const words = JSON.parse(form.dataset['words']!) as Words;
  const known = new Map<string, Promise<readonly Step[]>>();
  const [from, to] = ['from', 'to'].map((name) => createElement('select', { name, autocomplete: 'off' })) as [
    HTMLSelectElement,
    HTMLSelectElement,
  ];
  const result = createElement('div', { 'aria-live': 'polite' });
  form.replaceChildren(
    createElement('label', {}, words.from, ' ', from),
    ' ',
    createElement('label', {}, words.to, ' ', to),
  );
  form.after(result);
  form.hidden = false;
  const asked = new URLSearchParams(location.search);
  const listLine = (slug: string): readonly Version[] => {
    const line: Version[] = [];
    for (let at: string | undefined = slug; at !== undefined && line.length < versions.size; ) {
      const version: Version = versions.get(at)!;
      line.push(version);
      at = version.older;
    }
    return line;
  };
  /** Returns those that come from the same version as one. */
  const listOthers = (slug: string): readonly Version[] => {
    const first = listLine(slug).at(-1);
    return [...versions.values()].filter((one) => one.slug !== slug && listLine(one.slug).at(-1) === first);
  };
  /** Offers versions, and chooses the first of some that is among them. */
  const fill = (
    select: HTMLSelectElement,
    list: readonly Version[],
    ...wanted: readonly (string | null | undefined)[]
  ): void => {
    select.replaceChildren(...list.map(({ slug, name }) => createElement('option', { value: slug }, name)));
    const slugs = list.map(({ slug }) => slug);
    select.value = wanted.find((slug) => slugs.includes(slug!)) ?? slugs[0]!;
  };
  fill(
    to,
    [...versions.values()].filter(({ slug }) => listOthers(slug).length > 0),
    asked.get('to'),
  );
  fill(from, listOthers(to.value), asked.get('from'), versions.get(to.value)!.older);
  const readOnce = (version: Version): Promise<readonly Step[]> => {
    const reading = known.get(version.slug) ?? readSteps(version.url);
    reading.catch(() => known.delete(version.slug));
    known.set(version.slug, reading);
    return reading;
  };
  const update = async (): Promise<void> => {
    const [target, start] = [versions.get(to.value)!, versions.get(from.value)!];
    const [forth, back] = [listLine(target.slug), listLine(start.slug)];
    result.setAttribute('aria-busy', 'true');
    try {
      const changes = combineChanges(
        await readAll(forth.filter((version) => !back.includes(version)).reverse(), readOnce),
        await readAll(
          back.filter((version) => !forth.includes(version)),
          readOnce,
        ),
      );
      const settled = await settle(changes, start, target);
      // Another choice may have been made meanwhile.
      if (to.value !== target.slug || from.value !== start.slug) return;
      result.replaceChildren(...showChanges(settled, { words, start, target }));
    } catch {
      result.textContent = words.failed;
    }
    result.removeAttribute('aria-busy');
  };
  const change = (): void => {
    history.replaceState(null, '', `?${new URLSearchParams({ from: from.value, to: to.value })}`);
    update();
  };
  to.addEventListener('change', () => {
    fill(from, listOthers(to.value), from.value, versions.get(to.value)!.older);
    change();
  });
  from.addEventListener('change', change);
  if (asked.has('from') || asked.has('to')) await update();
}

function readVersions(links: readonly HTMLAnchorElement[]): ReadonlyMap<string, Version> {
  const versions = new Map<string, Version>();
  const names = new Map(links.map(({ dataset }) => [dataset['older']!, dataset['olderName']!]));
  for (const { href, textContent, dataset } of links) {
    const slug = decodeURIComponent(href.replace(/^.*\//, '').replace(/\.html$/, ''));
    versions.set(slug, { slug, name: textContent!, older: dataset['older']!, url: href });
    names.delete(slug);
  }
  for (const [slug, name] of names)
    if (!versions.has(slug)) versions.set(slug, { slug, name, older: undefined, url: '' });
  return versions;
}

async function readAll<T, U>(items: readonly T[], read: (item: T) => Promise<U>): Promise<readonly U[]> {
  const found: U[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    found.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(read))));
  return found;
}

/** Reads what the page about a version says. */
async function readSteps(url: string): Promise<readonly Step[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return [...page.querySelectorAll<HTMLElement>('li[data-kind]')].map((item) => {
    const { kind = '', path, from, amount } = item.dataset;
    return {
      kind,
      path,
      from,
      amount: amount === undefined ? undefined : Number(amount),
      title: item.querySelector('a')?.textContent ?? '',
    };
  });
}

/** Looks up of pages that may be as they were whether they are, the first ones. */
async function settle(changes: readonly Combined[], start: Version, target: Version): Promise<readonly Combined[]> {
  const unsure = changes.filter(({ amount }) => amount === undefined).slice(0, MAX_LOOKED_UP);
  const same = new Set<Combined>();
  await readAll(unsure, async (change) => {
    const { path, from = path } = change;
    const [one, other] = await Promise.all([readText(place(start.slug, from)), readText(place(target.slug, path))]);
    if (one !== undefined && one === other) same.add(change);
  });
  return changes.flatMap((change) => {
    if (!same.has(change)) return [change];
    return change.kind === 'moved' ? [{ ...change, amount: 0 }] : [];
  });
}

/** Returns the text of a page; undefined where it cannot be had. */
async function readText(url: string): Promise<string | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) return undefined;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return page.querySelector('article')?.textContent?.replace(/\s+/g, ' ').trim();
}

/** Returns the address of a page in a version of the language of the list. */
function place(slug: string, path: string): string {
  const code = location.pathname.replace(/^.*\/([^/]*)\.html$/, '$1');
  const address = path
    .replace(/(^|\/)index\.html$/, '$1')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return new URL(`../../${code}/${encodeURIComponent(slug)}/${address}`, location.href).href;
}

function showChanges(
  changes: readonly Combined[],
  { words, start, target }: { readonly words: Words; readonly start: Version; readonly target: Version },
): readonly Node[] {
  const { lang } = document.documentElement;
  const count = (number: number): string => new Intl.NumberFormat(lang).format(number);
  const share = new Intl.NumberFormat(lang, { style: 'percent' });
  const groups = KINDS.flatMap((kind) => {
    const own = changes.filter((change) => change.kind === kind);
    if (own.length === 0) return [];
    const rows = own.slice(0, MAX_PAGES).map(({ title, path, from, amount }) => {
      const url = place((kind === 'removed' ? start : target).slug, path);
      const facts: (Node | string)[] = [];
      if (from !== undefined) facts.push(' ', createElement('code', {}, from));
      if (amount !== 0 && kind !== 'added' && kind !== 'removed') {
        const compare = `${url}?compare=${encodeURIComponent(start.slug)}`;
        const much =
          amount === undefined ? '' : `${words.amount.replace('{percent}', share.format(Math.max(0.01, amount)))} · `;
        facts.push(` ${much}`, createElement('a', { href: compare }, words.compare));
      }
      return createElement('li', {}, createElement('a', { href: url }, title), createElement('small', {}, ...facts));
    });
    const rest = own.length - rows.length;
    if (rest > 0) rows.push(createElement('li', {}, words.more.replace('{count}', count(rest))));
    const title = createElement('h2', {}, words[kind], ' ', createElement('small', {}, count(own.length)));
    return [title, createElement('ul', { class: 'changes-list' }, ...rows)];
  });
  return groups.length > 0 ? groups : [createElement('p', {}, words.none)];
}
