import { contentKey } from '../../cache/content-key.ts';
import type { LanguagePages } from '../../source/pages/collect-pages.ts';
import type { VersionScope } from './version-scope.ts';

/** The hashes of what a release depends on. */
export interface ReleaseKeys {
  /** Of everything. */
  readonly key: string;
  /** Of everything but which version it is. */
  readonly content: string;
}

/**
 * Returns a function that hashes everything a language's release depends on: its own rendered pages, the locations and
 * anchors of all other pages, and the content of every other file. `navigation` is what the generator's own files
 * contain; plain data.
 */
export function createReleaseKeys(
  { site, slug, source, tree, rendered, outside, links, dateOf }: VersionScope,
  navigation: unknown,
): (language: LanguagePages) => ReleaseKeys {
  const files: string[] = [];
  for (const [path, { oid, origin, isLeftOut, isLinked }] of tree.files) {
    const page = tree.pageOfFile.get(path);
    const text = rendered.get(path);
    const anchors = text?.isReplaced ? '?' : text?.ids.join('\0');
    files.push(path, page && anchors !== undefined ? `${page.output}\0${anchors}` : oid);
    if (origin !== undefined || isLeftOut) files.push(`${origin}`, `${isLeftOut}`, `${isLinked}`);
  }
  const shared = contentKey(
    site.key,
    JSON.stringify([
      source.sourceFolder,
      source.generator,
      source.statics,
      source.site?.bases,
      source.site?.aliases,
      source.site?.hasPageFolders,
      source.project,
      [...source.layout.folders],
    ]),
    tree.languages.map(({ language }) => JSON.stringify(language)).join('\n'),
    files.join('\0'),
    JSON.stringify(navigation) ?? '',
    [...outside.files].flat().join('\0'),
    [...outside.folders].join('\0'),
    links.named.flat().join('\0'),
  );
  return ({ language, pages }) => {
    const content = contentKey(
      shared,
      language.key,
      pages
        .map(({ file, oid, output, isFallback }) =>
          [file, output, isFallback, rendered.get(file)!.key, dateOf(source.realPath(file), oid)].join('\0'),
        )
        .join('\0'),
    );
    return { content, key: contentKey(content, slug, source.version.ref.name) };
  };
}
