import { append } from '../../../lib/append.ts';
import { profileOf } from '../../generators/generators.ts';
import { isLanguageCode, languageKey, looksLikeLanguage } from '../../language-tag.ts';
import type { ObjectReader, TreeEntry } from '../../model.ts';
import type { Placement } from '../files/list-source.ts';
import type { TreePaths } from '../files/tree-paths.ts';
import type { GeneratorSite } from './describe-site.ts';

/** How the folders of a generator's site form one documentation. */
export interface SourceArrangement {
  /** Source folder from the repository's root with a final `/`, or ''. */
  readonly folder: string;
  readonly placements: readonly Placement[];
  /** Codes of languages that have a folder below the source folder. */
  readonly languages: readonly string[];
  /** Folders, from the repository's root, whose files are published at the site's root. */
  readonly statics: readonly string[];
}

/**
 * Arranges the folders of a site: translations that a generator keeps apart from the pages, or languages that are
 * separate sites, become language folders below one source folder, which is docbuild's layout.
 */
export async function arrangeSource(
  site: GeneratorSite,
  context: { readonly reader: ObjectReader; readonly paths: TreePaths },
): Promise<SourceArrangement> {
  const { home, content } = site;
  const { reader, paths } = context;
  const { areSites, besideContent, translations = [], mountTranslations } = profileOf(site.generator).languages ?? {};
  const arranged = (areSites && (await joinSites())) || (besideContent && (await stepUp()));
  if (arranged) return arranged;
  const found = site.languageFolders.map(([code, real]): Placement => ({ real, shown: `${code}/` }));
  for (const { above, below } of translations) append(found, await listTranslations(home + above, below));
  for (const { id, shown } of mountTranslations ? site.mounts : []) {
    const { above, below } = mountTranslations!(id);
    const own = await listTranslations(home + above, below);
    append(
      found,
      own.map((placement) => ({ ...placement, shown: placement.shown + shown })),
    );
  }
  return besides(found);

  /** Pages below a folder for each language, except that of the content itself. */
  async function listTranslations(above: string, below: string): Promise<readonly Placement[]> {
    const own = site.defaultLanguage && languageKey(site.defaultLanguage);
    const names = (await listFolders(above)).filter(({ name }) => isLanguageCode(name) && languageKey(name) !== own);
    return names.map(({ name }) => ({ real: above + name + below, shown: `${name}/` }));
  }

  /** Where each language is a site (`docs/en/mkdocs.yml`, `docs/en/docs/…`), the folder above them all is the source. */
  async function joinSites(): Promise<SourceArrangement | undefined> {
    const [, above, own] = /^(.*\/)?([^/]+)\/$/.exec(home) ?? [];
    if (own === undefined || !looksLikeLanguage(own) || !content.startsWith(home)) return undefined;
    const folder = above ?? '';
    const placements: Placement[] = [];
    for (const { name } of await listFolders(folder)) {
      const real = `${folder}${name}/${content.slice(home.length)}`;
      const isSite = looksLikeLanguage(name) && (await paths.find(real))?.kind === 'folder';
      if (isSite) placements.push({ real, shown: `${name}/` });
    }
    if (placements.length < 2) return undefined;
    // The site of the first language is the root of all.
    return {
      folder,
      placements,
      languages: placements.map(({ shown }) => shown.slice(0, -1)),
      statics: [`${folder}${own}/`, ...site.statics],
    };
  }

  /** Where the content is the folder of one language (`content/en/`), the folder above holds those of the others. */
  async function stepUp(): Promise<SourceArrangement | undefined> {
    const [, above, own] = /^(.*\/)([^/]+)\/$/.exec(content) ?? [];
    if (above === undefined || !looksLikeLanguage(own!)) return undefined;
    const codes = (await listFolders(above)).filter(({ name }) => looksLikeLanguage(name)).map(({ name }) => name);
    return codes.length < 2
      ? undefined
      : {
          folder: above,
          placements: [{ real: above, shown: '' }],
          languages: codes,
          statics: site.statics,
        };
  }

  async function listFolders(path: string): Promise<readonly TreeEntry[]> {
    const folder = await paths.find(path);
    if (folder?.kind !== 'folder') return [];
    return (await reader.readTree(folder.oid)).filter(({ kind }) => kind === 'folder');
  }

  function besides(translations: readonly Placement[]): SourceArrangement {
    const isMoved = ({ real, shown }: Placement): boolean => real !== content + shown && real !== content;
    return {
      folder: content,
      placements: [
        { real: content, shown: '' },
        ...translations.filter(isMoved),
        ...site.mounts.map(({ folder, shown }) => ({ real: folder, shown })),
      ],
      languages: [...new Set(translations.map(({ shown }) => shown.slice(0, shown.indexOf('/'))))],
      statics: site.statics,
    };
  }
}
