import { contentKey } from '../../cache/content-key.ts';
import type { LanguagePages } from '../../source/pages/collect-pages.ts';
import type { RenderedVersion } from '../pages/render-versions.ts';

/** What every release of a version may link to and take along, besides the texts of its own pages. */
export interface VersionWorld extends Pick<RenderedVersion, 'source' | 'tree' | 'rendered'> {
  /** Hash of what all versions of the site share. */
  readonly siteKey: string;
  readonly slug: string;
  /** What the generator's own files say of the navigation; plain data. */
  readonly navigation: unknown;
  /** What links that leave the source folder lead to: see `findOutsideTargets`. */
  readonly outside: { readonly files: ReadonlyMap<string, string>; readonly folders: ReadonlySet<string> };
}

/**
 * Returns a function that hashes everything a language's release depends on: its own pages as they are rendered, of all
 * other pages where they stand and which anchors they have, and the content of every file that is no page.
 */
export function createReleaseKeys(world: VersionWorld): (language: LanguagePages) => string {
  const { siteKey, slug, source, tree, rendered, outside, navigation } = world;
  const files: string[] = [];
  for (const [path, { oid, origin, isLeftOut }] of tree.files) {
    const page = tree.pageOfFile.get(path);
    const text = rendered.get(path);
    const anchors = text?.isReplaced ? '?' : text?.ids.join('\0');
    files.push(path, page && anchors !== undefined ? `${page.output}\0${anchors}` : oid);
    if (origin !== undefined || isLeftOut) files.push(`${origin}`, `${isLeftOut}`);
  }
  const shared = contentKey(
    siteKey,
    slug,
    JSON.stringify([
      source.version.ref.name,
      source.sourceFolder,
      source.generator,
      source.statics,
      source.site?.bases,
      source.site?.hasPageFolders,
      source.project,
      [...source.layout.folders],
    ]),
    tree.languages.map(({ language }) => JSON.stringify(language)).join('\n'),
    files.join('\0'),
    JSON.stringify(navigation) ?? '',
    [...outside.files].flat().join('\0'),
    [...outside.folders].join('\0'),
  );
  return ({ language, pages }) =>
    contentKey(
      shared,
      language.key,
      pages
        .map(({ file, output, isFallback }) => [file, output, isFallback, rendered.get(file)!.key].join('\0'))
        .join('\0'),
    );
}
