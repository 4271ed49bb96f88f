import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import type { PageModel } from '../../compose/page-model.ts';
import type { TextLink } from '../../compose/theme.ts';
import type { LinkSlot } from '../../model.ts';
import type { PageMeta } from '../../source/pages/page-meta.ts';
import type { ReleaseNavigation } from '../navigation/release-navigation.ts';

/** What front matter says about everything around a page's text, with its links resolved. Plain data: part of the page's key. */
export interface PageSurroundings extends Pick<PageModel, 'hasSidebar' | 'head' | 'editUrl' | 'updated' | 'image'> {
  readonly outline: readonly [from: number, to: number];
  readonly previous: OwnNeighbour | false | undefined;
  readonly next: OwnNeighbour | false | undefined;
}

/** What is undefined is as in the navigation. */
interface OwnNeighbour {
  readonly title: string | undefined;
  readonly url: string | undefined;
}

/** Returns the surroundings of a page; `editUrl` and `written`, in seconds since 1970, are those of its file, and `resolve` returns the URL of a link. */
export function surroundPage(
  { frame }: PageMeta,
  {
    editUrl,
    written,
    address,
    resolve,
  }: {
    readonly editUrl: string | undefined;
    readonly written: number | undefined;
    /** Absolute URL of the page; undefined = not known. */
    readonly address: string | undefined;
    readonly resolve: (slot: LinkSlot) => string;
  },
): PageSurroundings {
  const { hasSidebar, outline, head, edit } = frame;
  const [previous, next] = [frame.previous, frame.next].map((neighbour) => {
    if (!neighbour) return neighbour;
    const { text: title, link } = neighbour;
    const url = link && (isAbsoluteUrl(link.url) ? link.url : resolve({ kind: 'link', ...link }));
    return { title, url };
  }) as [PageSurroundings['previous'], PageSurroundings['next']];
  // Previews of links show only images with absolute URLs.
  const placeImage = (): string | undefined => {
    const { image } = frame;
    if (image === undefined || isWebUrl(image.url)) return image?.url;
    return address === undefined ? undefined : new URL(resolve({ kind: 'image', ...image }), address).href;
  };
  const ofFile = written === undefined ? undefined : new Date(written * 1000).toISOString().replace('.000Z', 'Z');
  return {
    ...{ hasSidebar, outline, head, previous, next },
    editUrl: edit === false ? undefined : (edit ?? editUrl),
    image: placeImage(),
    updated: frame.updated === false ? undefined : (frame.updated ?? ofFile),
  };
}

/** Returns a neighbour of a page as it is shown. `root` leads from the page to its release's root. */
export function joinNeighbour(
  natural: TextLink | undefined,
  own: OwnNeighbour | false | undefined,
  { navigation, root }: { readonly navigation: Pick<ReleaseNavigation, 'titleOf'>; readonly root: string },
): TextLink | undefined {
  if (own === false) return undefined;
  if (own?.url === undefined) return natural && { url: natural.url, title: own?.title ?? natural.title };
  const { url } = own;
  if (own.title !== undefined || !url.startsWith(root)) return { url, title: own.title ?? url };
  const address = decodeURIComponent(url.slice(root.length).replace(/[?#].*$/s, ''));
  return { url, title: navigation.titleOf(address.replace(/(^|\/)$/, '$1index.html')) || url };
}
