import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fromHtml } from 'hast-util-from-html';
import { isAbsoluteUrl } from '../../lib/url-text.ts';

/** An address in a published page that leads nowhere on the disk. */
export interface BrokenLink {
  /** Path of the page from the site's root. */
  readonly page: string;
  /** As it stands in the page. */
  readonly url: string;
}

interface Document {
  readonly urls: readonly string[];
  readonly ids: ReadonlySet<string>;
}

type Node = {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Node[];
};

/**
 * Reads every page below a folder as a browser would and follows every address that stays on the site, anchors
 * included. Returns those that lead to no file or no place, and how many addresses were followed.
 */
export function checkLinks(folder: string): { readonly broken: readonly BrokenLink[]; readonly followed: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  const known = new Set(files);
  const documents = new Map<number, Document>();
  const parse = (path: string): Document => {
    const { ino } = statSync(join(folder, path));
    let document = documents.get(ino);
    if (!document) {
      document = readDocument(readFileSync(join(folder, path), 'utf8'));
      documents.set(ino, document);
    }
    return document;
  };
  const broken: BrokenLink[] = [];
  let followed = 0;
  for (const page of files.filter((path) => path.endsWith('.html'))) {
    for (const url of parse(page).urls) {
      if (isAbsoluteUrl(url)) continue;
      followed++;
      if (!leadsSomewhere(page, url)) broken.push({ page, url });
    }
  }
  return { broken, followed };

  function leadsSomewhere(page: string, url: string): boolean {
    const { pathname, hash } = new URL(url, `http://x/${page.split('/').map(encodeURIComponent).join('/')}`);
    const path = decodeURIComponent(pathname).slice(1);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    if (!known.has(file)) return false;
    const id = decodeURIComponent(hash.slice(1));
    return (
      id === '' ||
      id === 'top' ||
      id.startsWith(':~:') ||
      !file.endsWith('.html') ||
      parse(posix.normalize(file)).ids.has(id)
    );
  }
}

function readDocument(html: string): Document {
  const urls: string[] = [];
  const ids = new Set<string>();
  const visit = (node: Node): void => {
    const { tagName, properties = {} } = node;
    for (const name of ['href', 'src', 'poster', 'data']) {
      const value = properties[name];
      if (typeof value === 'string' && tagName !== 'base') urls.push(value);
    }
    for (const entry of String(properties.srcSet ?? '')
      .split(',')
      .filter(Boolean))
      urls.push(entry.trim().split(/\s/)[0]!);
    const refresh = properties.httpEquiv !== undefined && /url=(.*)$/.exec(String(properties.content))?.[1];
    if (refresh) urls.push(refresh);
    for (const name of ['id', 'name']) if (typeof properties[name] === 'string') ids.add(properties[name]);
    node.children?.forEach(visit);
  };
  visit(fromHtml(html) as Node);
  return { urls: [...new Set(urls)], ids };
}
