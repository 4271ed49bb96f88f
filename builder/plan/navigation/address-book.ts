import { trimCharacters } from '../../../lib/trim-characters.ts';
import { type Generator, rulesOf } from '../../generators/generators.ts';
import { findNumber, withoutNumbers } from '../../generators/shared/numbered-names.ts';
import { folderOf } from '../../page-path.ts';
import type { Page } from '../../source/pages/collect-pages.ts';

/** Finds the pages of a release by their URLs. */
export interface AddressBook {
  /** Returns the page at a path from the release's root, with or without `.html`, a final `/` or `index`. */
  find(path: string): Page | undefined;
  /** Returns the page whose URL differs only in what its generator changes in names: capital letters, spaces, signs. */
  findSimilar(path: string): Page | undefined;
  /**
   * Returns the one page at a path if the numbers before names, by which files are ordered, do not count: `basics/setup` is
   * `01-basics/02-setup`.
   */
  findUnnumbered(path: string): Page | undefined;
  /** Returns the one page of a name, in whatever folder, in a release where such numbers order pages. */
  findNamed(name: string): Page | undefined;
  /** Returns the one page of a folder whose title makes the last part of a path: `fundamentals/custom-providers` is "Custom providers". */
  findTitled(path: string): Page | undefined;
}

/** Creates the address book of a release; `shown` are its pages by path of their HTML file. */
export function createAddressBook(
  shown: ReadonlyMap<string, Page>,
  generator: Generator | undefined,
  titleOf: (page: Page) => string | undefined = (page) => page.meta.title,
): AddressBook {
  const aliases = new Map(
    [...shown.values()].flatMap((page) => page.aliases.map(({ output }) => [output, page] as const)),
  );
  let similar: ReadonlyMap<string, Page> | undefined;
  let titled: ReadonlyMap<string, Page | null> | undefined;
  let unnumbered: UnnumberedPages | undefined;
  const withoutNumbers = (): UnnumberedPages => {
    unnumbered ??= listUnnumbered([...shown.values()]);
    return unnumbered;
  };
  return {
    find(path) {
      for (const output of listOutputs(path)) {
        const page = shown.get(output) ?? aliases.get(output);
        if (page) return page;
      }
      return undefined;
    },
    findSimilar(path) {
      if (!rulesOf(generator).addresses?.simplifiesNames) return undefined;
      similar ??= new Map(
        [...shown.values()]
          .reverse()
          .flatMap((page) => [[simplify(page.place), page] as const, [simplify(page.output), page] as const]),
      );
      return similar.get(simplify(path));
    },
    findUnnumbered: (path) => withoutNumbers().byPath.get(removeNumbers(path)) ?? undefined,
    findNamed: (name) => withoutNumbers().byName.get(removeNumbers(name)) ?? undefined,
    findTitled(path) {
      titled ??= listTitled([...shown.values()], titleOf);
      return titled.get(simplify(path)) ?? undefined;
    },
  };
}

/** Returns pages by the paths that their titles make; null = several have it. */
function listTitled(
  pages: readonly Page[],
  titleOf: (page: Page) => string | undefined,
): ReadonlyMap<string, Page | null> {
  const found = new Map<string, Page | null>();
  for (const page of pages) {
    const title = simplify(titleOf(page)?.replaceAll('/', ' ') ?? '');
    if (title === '') continue;
    const path = simplify(`${folderOf(page.place)}${title}`);
    found.set(path, found.has(path) ? null : page);
  }
  return found;
}

/** Pages by their paths and names without numbers; null = several have it. Both are empty where no page has a number. */
interface UnnumberedPages {
  readonly byPath: ReadonlyMap<string, Page | null>;
  readonly byName: ReadonlyMap<string, Page | null>;
}

function listUnnumbered(pages: readonly Page[]): UnnumberedPages {
  const byPath = new Map<string, Page | null>();
  const byName = new Map<string, Page | null>();
  for (const page of pages.some(({ place }) => isNumbered(place)) ? pages : []) {
    const path = removeNumbers(page.place);
    const name = path.slice(path.lastIndexOf('/') + 1);
    byPath.set(path, byPath.has(path) ? null : page);
    byName.set(name, byName.has(name) ? null : page);
  }
  return { byPath, byName };
}

function isNumbered(path: string): boolean {
  return path.split('/').some((name) => findNumber(name) !== undefined);
}

/** Returns the paths of HTML files by what they are without numbers before names, see `AddressBook`; null = several are the same. */
export function listUnnumberedOutputs(outputs: Iterable<string>): ReadonlyMap<string, string | null> {
  const files = [...outputs].filter((path) => path.endsWith('.html'));
  const found = new Map<string, string | null>();
  for (const file of files.some(isNumbered) ? files : []) {
    const path = removeNumbers(file);
    found.set(path, found.has(path) ? null : file);
  }
  return found;
}

/** Returns the path of a page without numbers before its names, and without what only says that it is one. */
export function removeNumbers(path: string): string {
  const names = withoutNumbers(path.replace(/\.(?:html?|md|markdown|mdx)$/i, '')).replace(
    /(?:^|\/)(?:_?index|readme)$/i,
    '',
  );
  return trimCharacters(names, '/', { both: true });
}

/** Returns the folder to which URLs in a page are relative where its generator publishes it. */
export function addressFolder(output: string, hasPageFolders: boolean): string {
  const isFolder = output === 'index.html' || output.endsWith('/index.html') || !hasPageFolders;
  return isFolder ? folderOf(output) : `${output.replace(/\.html$/, '')}/`;
}

/** Returns the paths of HTML files that a path on the site may mean, the likelier first. */
export function listOutputs(path: string): readonly string[] {
  const stem = trimCharacters(path.replace(/(?:^|\/)index\.html?$/i, '/').replace(/\.html?$/i, ''), '/', {
    both: true,
  });
  if (stem === '') return ['index.html'];
  const file = `${stem}.html`;
  const index = `${stem}/index.html`;
  return path.endsWith('/') || /\/index\.html?$/i.test(path) ? [index, file] : [file, index];
}

function simplify(path: string): string {
  return path
    .replace(/(?:^|\/)index\.html?$/i, '')
    .replace(/\.html?$/i, '')
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .map((part) => part.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-|-$/g, ''))
    .filter((part) => part !== '')
    .join('/');
}
