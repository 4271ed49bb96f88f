import { bucketOfPath, historyFile } from '../../lib/follow-page.ts';
import { createElement } from '../create-element.ts';
import { type Events, followHistory } from './follow-history.ts';

/** The versions of `versions.json`. Nobody has checked its values. */
interface VersionIndex {
  readonly latest: string;
  readonly refs: Readonly<Record<string, { readonly slug: string; readonly base?: string }>>;
  /** Names by language. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
  /** Number of the files of histories by language. */
  readonly history?: Readonly<Record<string, number>>;
}

/** Fills the details at a page's foot with the history of the page. */
export async function showHistory(details: HTMLElement): Promise<void> {
  details.querySelector('p')?.remove();
  const [added = '', changed = '', moved = '', unchanged = '', compare = '', none = '', , all = ''] =
    details.dataset['words']!.split('|');
  const root = new URL('../', import.meta.url);
  const [code = '', slug = '', ...rest] = location.pathname
    .slice(root.pathname.length)
    .split('/')
    .map(decodeURIComponent);
  const path = rest
    .join('/')
    .replace(/(^|\/)$/, '$1index')
    .replace(/(\.html)?$/, '.html');
  const index = (await readJson(new URL('versions.json', root))) as VersionIndex;
  const { refs, latest } = index;
  const version = slug === 'latest' ? latest : (Object.keys(refs).find((name) => refs[name]!.slug === slug) ?? '');
  const link = (name: string, file: string, text: string, base?: string): HTMLAnchorElement => {
    const parts = [code, refs[name]!.slug, ...file.replace(/(^|\/)index\.html$/, '$1').split('/')];
    const url = new URL(`./${parts.map(encodeURIComponent).join('/')}`, root);
    if (base !== undefined) url.searchParams.set('compare', refs[base]!.slug);
    return createElement('a', { href: url.href }, text);
  };
  const say = (phrase: string, name: string, file: string, former = ''): HTMLLIElement => {
    const parts = phrase
      .split(/(\{\w+\})/)
      .map((part) =>
        part === '{version}' ? link(name, file, name) : part === '{path}' ? createElement('code', {}, former) : part,
      );
    return createElement('li', {}, ...parts);
  };
  const lines: HTMLLIElement[] = [];
  const buckets = index.history?.[code];
  if (buckets !== undefined && index.versions[code]?.includes(version)) {
    const file = new URL(historyFile(code, bucketOfPath(path, buckets)), import.meta.url);
    const events: Events =
      buckets > 0 ? ((await readJson(file)) as { readonly pages: Events }).pages : Object.create(null);
    const { entries, first, since } = followHistory(arrangeLine(index, code, version), events, { version, path });
    if (since.version !== version) lines.push(say(unchanged, since.version, since.path));
    for (const { kind, version: name, path: file, from, base } of entries) {
      const line = say({ added, changed, moved }[kind], name, file, from);
      if (base !== undefined) line.append(' · ', link(name, file, compare, base));
      lines.push(line);
    }
    if (lines.length === 0) lines.push(say(added, first.version, first.path));
  } else lines.push(createElement('li', {}, none));
  lines.push(createElement('li', {}, createElement('a', { href: details.dataset['changes']! }, all)));
  details.append(createElement('ul', {}, ...lines));
}

async function readJson(url: URL): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${response.status}`);
  // Objects are indexed by names from outside: nothing but the answer's own fields may be found in them.
  return JSON.parse(await response.text(), (_, value) =>
    value instanceof Object && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value,
  );
}

/** Returns the versions of the line that a version is in, the newest first: that of `latest` if it is part of it, else the longest one. */
function arrangeLine({ latest, refs, versions }: VersionIndex, code: string, version: string): readonly string[] {
  const names = versions[code]!;
  const having = new Set(names);
  const lineOf = (tip: string): readonly string[] => {
    const line: string[] = [];
    for (let at: string | undefined = tip, left = 10_000; at !== undefined && left > 0; at = refs[at]?.base, left--)
      if (having.has(at)) line.push(at);
    return line;
  };
  const own = lineOf(latest);
  if (own.includes(version)) return own;
  const others = names.filter((name) => name !== 'latest').map(lineOf);
  return others
    .filter((line) => line.includes(version))
    .reduce((best, line) => (line.length > best.length ? line : best), lineOf(version));
}
