import { contentKey } from '../../cache/content-key.ts';
import type { Language } from '../../source/languages.ts';
import { placeTheme } from '../navigation/place-header.ts';
import type { ReleaseNavigation } from '../navigation/release-navigation.ts';
import type { Site } from '../site.ts';
import type { Frame } from './compose-later.ts';
import type { PagePrefixes, ReleaseLinks } from './release-links.ts';

/** What surrounds the text of a release's pages. */
export interface ReleaseFrames {
  /** Returns the frame of the pages from which `prefixes` lead to the roots. */
  at(prefixes: PagePrefixes): Frame;
  /** Files that the frames so far link to. */
  readonly files: ReadonlySet<string>;
}

export function createReleaseFrames(
  site: Site,
  { language, navigation }: { readonly language: Language; readonly navigation: ReleaseNavigation },
  links: ReleaseLinks,
): ReleaseFrames {
  const frames = new Map<string, Frame>();
  const files = new Set<string>();
  return {
    files,
    at(prefixes) {
      const frame = frames.get(prefixes.siteRoot) ?? createFrame(prefixes);
      frames.set(prefixes.siteRoot, frame);
      return frame;
    },
  };

  function createFrame(prefixes: PagePrefixes): Frame {
    const { settings, assetsFolder } = site;
    const { siteRoot } = prefixes;
    const { code, tag, dir } = language;
    const { theme, header } = placeTheme(site, { siteRoot, language }, (url) => findLink(url, prefixes));
    const changes = theme.switches?.hasVersions ? siteRoot + site.changesPath(code) : undefined;
    const feed = changes === undefined || settings.baseUrl === undefined ? undefined : siteRoot + site.feedPath(code);
    const [main] = site.languages;
    const isTranslation = main!.code !== code && !settings.single;
    const original = isTranslation ? { tag: main!.tag, notices: siteRoot + site.boardPaths(code).notices } : undefined;
    const latest = site.latestRoot(code);
    const key = contentKey(
      site.tools.engineVersion,
      navigation.id,
      JSON.stringify([theme, header, settings.templates]),
      tag,
      code,
      siteRoot,
      assetsFolder,
      feed ?? '',
      original?.tag ?? '',
      latest ?? '',
    );
    const urls = { list: siteRoot + site.listPath(code), changes, feed, assets: siteRoot + assetsFolder, latest };
    return { key, theme, header, ...urls, language: { tag, dir }, original, navigation };
  }

  /** Returns where a link of the header leads; undefined if there is no such page or file in the release. */
  function findLink(link: string, prefixes: PagePrefixes): string | undefined {
    const { url, file, problem } = links.fromRoot(link, prefixes);
    if (problem?.code === 'dead-link') return undefined;
    if (file !== undefined) files.add(file);
    return url;
  }
}
