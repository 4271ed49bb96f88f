import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { Composer } from '../../compose/create-composer.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { HeaderEntry, PageModel, PageProblem, TextLanguage } from '../../compose/page-model.ts';
import type { ThemeModel } from '../../compose/theme.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { fillSlots } from '../asset-reader.ts';
import { loadFirstImages } from '../first-images.ts';
import { type ImageSize, writeImageSizes } from '../image-size.ts';
import { markCurrent } from '../navigation/place-header.ts';
import type { ReleaseNavigation } from '../navigation/release-navigation.ts';
import type { PageRenderer } from '../pages/render-pages.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { joinNeighbour, type PageSurroundings } from './page-surroundings.ts';

/** What surrounds a page's text; shared by the pages of a release at one depth. */
export interface Frame {
  /** Hash of everything that determines it except the page's own location. */
  readonly key: string;
  readonly theme: ThemeModel;
  /** The links of the header that the project file lists. */
  readonly header: readonly HeaderEntry[];
  /** URL of the list of versions and languages. */
  readonly list: string;
  readonly language: TextLanguage;
  readonly assets: string;
  readonly navigation: ReleaseNavigation;
}

function describeFrame({ theme, header, list, language, assets, navigation }: Frame, output: string, root: string) {
  const sidebar = navigation.renderSidebar(output, root);
  const isHeaderOfSidebar = header.length === 0;
  const entries = isHeaderOfSidebar
    ? navigation.listFolders(output, root)
    : markCurrent(header, { address: pageAddress(output), root });
  const around = navigation.around(output, root);
  return {
    theme,
    language,
    root,
    assets,
    list,
    ...around,
    sidebar,
    header: entries,
    isHeaderOfSidebar,
    start: undefined,
  };
}

/** Returns where a landing page leads into the documentation, if its header does not. */
function findStart({ navigation }: Frame, entries: readonly HeaderEntry[], root: string): string | undefined {
  const leadsInside = (entry: HeaderEntry): boolean =>
    (entry.url !== undefined && !isAbsoluteUrl(entry.url)) || entry.links.some(leadsInside);
  return entries.some(leadsInside) ? undefined : navigation.findStart(root);
}

/*
 * The functions below are not nested in `planRelease`: closures of one function share a scope, so each would retain everything
 * the version was planned from.
 */

export function composeLater(parts: {
  readonly composer: Composer;
  readonly renderer: Pick<PageRenderer, 'getHtml'>;
  readonly frame: Frame;
  readonly root: string;
  readonly output: string;
  readonly meta: Page['meta'];
  readonly isUntitled: boolean;
  readonly fallbackLanguage: TextLanguage | undefined;
  readonly rendered: RenderedPage;
  readonly urls: readonly string[];
  readonly sizes: ReadonlyMap<number, ImageSize>;
  readonly home: PageModel['home'];
  readonly surroundings: PageSurroundings;
  readonly canonical: string | undefined;
  readonly problem: PageProblem | undefined;
}): () => string {
  const { composer, renderer, frame, root, output, meta, isUntitled, rendered, urls, sizes, surroundings, ...given } =
    parts;
  return () => {
    const described = describeFrame(frame, output, root);
    const { navigation } = frame;
    const { outline, previous, next, ...own } = surroundings;
    const text = writeImageSizes(renderer.getHtml(rendered), sizes);
    return composer.composePage({
      ...described,
      ...given,
      ...own,
      start: meta.layout === 'home' ? findStart(frame, described.header, root) : undefined,
      previous: joinNeighbour(described.previous, previous, { navigation, root }),
      next: joinNeighbour(described.next, next, { navigation, root }),
      layout: meta.layout,
      isUnlisted: meta.visibility === 'unlisted',
      title: isUntitled ? '' : navigation.titleOf(output),
      hidesTitle: meta.hidesTitle,
      description: meta.description ?? '',
      extras: rendered.extras,
      toc: rendered.headings.filter(({ level, text }) => level >= outline[0] && level <= outline[1] && text !== ''),
      content: fillSlots(given.home ? text : loadFirstImages(text), urls),
    });
  };
}

export function composeListingLater({
  composer,
  frame,
  root,
  canonical,
}: {
  readonly composer: Composer;
  readonly frame: Frame;
  readonly root: string;
  readonly canonical: string | undefined;
}): () => string {
  return () =>
    composer.composePage({
      ...describeFrame(frame, 'index.html', root),
      fallbackLanguage: undefined,
      layout: 'doc',
      isUnlisted: false,
      title: frame.theme.siteTitle,
      hidesTitle: false,
      hasSidebar: true,
      head: [],
      updated: undefined,
      image: undefined,
      description: '',
      home: undefined,
      extras: [],
      toc: [],
      editUrl: undefined,
      canonical,
      problem: undefined,
      content: frame.navigation.renderListing(),
    });
}

export function composeRedirectLater(
  composer: Composer,
  redirect: { readonly url: string; readonly language: TextLanguage },
): () => string {
  return () => composer.composeRedirect(redirect);
}
