import { BuildError } from '../build-error.ts';
import type { ObjectReader, TreeEntry } from '../model.ts';
import type { GeneratorSite } from './describe-site.ts';
import { looksLikeLanguage } from './language-tag.ts';
import { createRecogniser } from './recognise-generator.ts';

/** Finds the sites of documentation generators in root trees. */
export interface SiteFinder {
  /** Returns the site that holds the documentation; undefined when no generator has one with pages. */
  find(rootTree: string): Promise<GeneratorSite | undefined>;
  /** Returns the site that a source folder belongs to: whose pages it holds, or in whose folder it lies. */
  findOwner(rootTree: string, folder: string): Promise<GeneratorSite | undefined>;
}

/** Names of folders in which the sites of generators usually are. */
const USUAL_HOMES = /^(?:docs?|documentation|website|site|www|web|guide|book|userguide)$|^docs?[-_.]|[-_.]docs?$/i;
/** Folders of workspaces: their `docs`, `website` … may be homes, too. */
const WORKSPACES = /^(?:packages|apps|docs|website|projects|sites)$/i;
/** Folders inside those in which they may be, too: `packages/docs/src/.vuepress`. */
const INNER_HOMES = /^(?:docs?|src|site|website)$/i;
/** What is written to try a generator rather than to be read. */
const TRIALS = /^\.|^_|^node_modules$|test|spec|fixture|benchmark/i;
/** What is written to show one; where it is named like documentation, as in `book-example`, it may be all there is. */
const SHOWPIECES = /example|template|demo|sample|starter|playground|theme/i;
const DOCUMENTATION = /docs?|book|guide|manual/i;
const MAX_HOMES = 200;

/** A folder that may be the home of a site; those of a higher rank count only where lower ones hold none. */
interface Home {
  readonly oid: string;
  readonly folder: string;
  readonly rank: 0 | 1 | 2;
}

/**
 * Creates a finder. Looks at the root, at its folders, and at those of workspaces that are named like documentation;
 * among several sites the one with most pages counts. `weigh` returns the number of pages in a folder, 0 when there is none.
 */
export function createSiteFinder(options: {
  readonly reader: ObjectReader;
  readonly weigh: (rootTree: string, folder: string) => Promise<number>;
}): SiteFinder {
  const { reader, weigh } = options;
  const recognise = createRecogniser(reader);
  const siteAt = ({ oid, folder }: Home): Promise<GeneratorSite | undefined> =>
    recognise(oid, folder).catch(ignoreDamage);

  return {
    async find(rootTree) {
      const homes = await listHomes(rootTree);
      for (const rank of [0, 1, 2]) {
        let best: { readonly site: GeneratorSite; readonly pages: number } | undefined;
        for (const home of homes.filter((candidate) => candidate.rank === rank)) {
          const site = await siteAt(home);
          if (!site || (await isOnlyTheme(rootTree, site))) continue;
          // A whole repository is not walked only to count.
          const pages = site.content === '' ? 1 : await weigh(rootTree, site.content);
          if (pages >= 1 && pages > (best?.pages ?? 0)) best = { site, pages };
        }
        if (best) return best.site;
      }
      return undefined;
    },
    async findOwner(rootTree, folder) {
      let owner: GeneratorSite | undefined;
      for (const home of await listHomes(rootTree)) {
        const site = await siteAt(home);
        if (site?.content === folder) return site;
        if (site && folder.startsWith(site.home) && site.home.length >= (owner?.home.length ?? 0)) owner = site;
      }
      return owner;
    },
  };

  async function listHomes(rootTree: string): Promise<readonly Home[]> {
    const homes = new Map<string, Home>([['', { oid: rootTree, folder: '', rank: 0 }]]);
    const add = ({ name, kind, oid }: TreeEntry, above: string, isInner = false): void => {
      if (kind !== 'folder' || isTrial(name) || homes.size >= MAX_HOMES) return;
      const rank = SHOWPIECES.test(name) ? 2 : isInner || USUAL_HOMES.test(name) ? 0 : 1;
      const folder = `${above}${name}/`;
      if (!homes.has(folder)) homes.set(folder, { oid, folder, rank });
    };
    const top = await reader.readTree(rootTree);
    for (const entry of top) add(entry, '');
    for (const { name, kind, oid } of top) {
      if (kind !== 'folder' || !WORKSPACES.test(name)) continue;
      const entries = (await reader.readTree(oid).catch(ignoreDamage)) ?? [];
      for (const entry of entries) {
        // Each language may be a site of its own: `docs/en/mkdocs.yml`.
        if (USUAL_HOMES.test(entry.name) || looksLikeLanguage(entry.name)) add(entry, `${name}/`);
      }
    }
    for (const { folder, oid, rank } of [...homes.values()]) {
      if (folder === '' || rank > 0) continue;
      const entries = (await reader.readTree(oid).catch(ignoreDamage)) ?? [];
      for (const entry of entries) if (INNER_HOMES.test(entry.name)) add(entry, folder, true);
    }
    return [...homes.values()];
  }

  /** A Jekyll configuration at the root may only name the theme in which GitHub shows the README. */
  async function isOnlyTheme(rootTree: string, { generator, content }: GeneratorSite): Promise<boolean> {
    if (generator !== 'jekyll' || content !== '') return false;
    const names = (await reader.readTree(rootTree)).map(({ name }) => name);
    return !names.some((name) => /^(?:index\.(?:md|markdown|html)|_(?:layouts|includes|posts|docs|data))$/.test(name));
  }
}

/** Returns whether a folder holds what is written to try or to show a generator, or nothing that is meant to be read. */
export function isTrial(name: string): boolean {
  return TRIALS.test(name) || (SHOWPIECES.test(name) && !DOCUMENTATION.test(name));
}

/** What is damaged is reported by whoever reads the documentation itself. */
export function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof BuildError)) throw error;
}
