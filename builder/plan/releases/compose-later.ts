import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { Composer } from '../../compose/create-composer.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type {
  HeaderEntry,
  HomeModel,
  IconModel,
  PageModel,
  PageProblem,
  PictureModel,
  TextLanguage,
} from '../../compose/page-model.ts';
import type { TextLink, ThemeModel } from '../../compose/theme.ts';
import { markSince, type SinceBadge } from '../../history/since-notes.ts';
import type { LinkSlot } from '../../model.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { Feature, Picture } from '../../source/pages/landing-page.ts';
import type { PageMeta } from '../../source/pages/page-meta.ts';
import { fillSlots } from '../asset-reader.ts';
import { type ImageSize, writeImageSizes } from '../image-size.ts';
import type { LinkOutcome } from '../links/create-link-resolver.ts';
import { markCurrent } from '../navigation/place-header.ts';
import { findTitle, type ReleaseNavigation } from '../navigation/release-navigation.ts';
import type { PageRenderer } from '../pages/render-pages.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';

/** The surroundings of a page's text; shared by the pages of a release at one depth. */
export interface Frame {
  /** Hash of everything that determines it except the page's own location. */
  readonly key: string;
  readonly theme: ThemeModel;
  /** The links of the header that the project file lists. */
  readonly header: readonly HeaderEntry[];
  /** URL of the list of versions and languages. */
  readonly list: string;
  /** URLs of what changed between versions, as in `PageModel`. */
  readonly changes: string | undefined;
  readonly feed: string | undefined;
  readonly language: TextLanguage;
  readonly original: PageModel['original'];
  readonly assets: string;
  /** Absolute URL of `latest` in the language; undefined = not known. */
  readonly latest: string | undefined;
  readonly navigation: ReleaseNavigation;
}

function describeFrame(frame: Frame, output: string, root: string) {
  const { theme, header, list, changes, feed, language, original, assets, navigation } = frame;
  const sidebar = navigation.renderSidebar(output, root);
  const isHeaderOfSidebar = header.length === 0;
  const entries = isHeaderOfSidebar
    ? navigation.listFolders(output, root)
    : markCurrent(header, { address: pageAddress(output), root });
  const page = { theme, language, original, root, assets, list, changes, feed, sidebar, isHeaderOfSidebar };
  return { ...page, ...navigation.around(output, root), header: entries, start: undefined };
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
  readonly page: Page;
  readonly rendered: RenderedPage;
  readonly urls: readonly string[];
  readonly sizes: ReadonlyMap<number, ImageSize>;
  readonly home: PageModel['home'];
  readonly surroundings: PageSurroundings;
  readonly canonical: string | undefined;
  readonly alternates: PageModel['alternates'];
  readonly problem: PageProblem | undefined;
  /** Of its headings, by their ids. */
  readonly badges: ReadonlyMap<string, SinceBadge> | undefined;
  readonly markdown: string | undefined;
}): () => string {
  const { composer, renderer, frame, root, page, rendered, urls, sizes, surroundings, badges, ...given } = parts;
  return () => {
    const { output, meta, isFallback, language } = page;
    const described = describeFrame(frame, output, root);
    const { navigation } = frame;
    const { outline, previous, next, ...own } = surroundings;
    const html = renderer.getHtml(rendered);
    const title = isUntitledHome(page, rendered) ? '' : navigation.titleOf(output);
    const text = writeImageSizes(badges ? markSince(html, (id) => badges.get(id)) : html, sizes);
    return composer.composePage({
      ...described,
      ...given,
      ...own,
      fallbackLanguage: isFallback ? { tag: language.tag, dir: language.dir } : undefined,
      start: meta.layout === 'home' ? findStart(frame, described.header, root) : undefined,
      previous: joinNeighbour(described.previous, previous, { navigation, root }),
      next: joinNeighbour(described.next, next, { navigation, root }),
      layout: meta.layout,
      isUnlisted: meta.visibility === 'unlisted',
      title,
      trail: isFallback
        ? []
        : listTrail(frame, { root, title, breadcrumbs: described.breadcrumbs, url: given.canonical }),
      hidesTitle: meta.hidesTitle,
      description: describePage(page, rendered),
      extras: rendered.extras,
      toc: rendered.headings.filter(({ level, text }) => level >= outline[0] && level <= outline[1] && text !== ''),
      content: fillSlots(given.home ? text : loadFirstImages(text), urls),
    });
  };
}

/** Headings of a page that stand for its text where it has no paragraph. */
const MAX_HEADINGS = 6;

/** Returns what search engines and previews of links say about a page: its author's words, else its first ones. */
function describePage({ meta }: Page, { lead, headings }: RenderedPage): string {
  const opening = meta.layout === 'home' ? (meta.hero?.tagline ?? meta.hero?.text) : undefined;
  const described = meta.description ?? opening ?? lead;
  if (described !== '') return described;
  const below = headings.filter(({ level, text }) => level > 1 && text !== '').slice(0, MAX_HEADINGS);
  return below.map(({ text }) => text).join(' · ');
}

/** Returns the way to a page of `latest`, as search engines show it; empty for the home page. */
function listTrail(
  { latest, theme }: Frame,
  page: Pick<PageModel, 'root' | 'title' | 'breadcrumbs'> & { readonly url: string | undefined },
): PageModel['trail'] {
  const { url: own, root } = page;
  if (latest === undefined || own === undefined || own === latest) return [];
  const above = page.breadcrumbs.flatMap(({ title, url }) => {
    const found = url?.startsWith(root) ? latest + url.slice(root.length) : undefined;
    return found === undefined || found === own || found === latest ? [] : [{ title, url: found }];
  });
  return [{ title: theme.siteTitle, url: latest }, ...above, { title: page.title, url: own }];
}

/** Returns whether a page is the release's home and has no title but its file's name; the site's title is used then. */
function isUntitledHome(page: Page, rendered: RenderedPage): boolean {
  return page.output === 'index.html' && findTitle(page, rendered) === undefined;
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
      sourceUrl: undefined,
      asksForButton: false,
      canonical,
      alternates: [],
      trail: [],
      problem: undefined,
      markdown: undefined,
      content: frame.navigation.renderListing(),
    });
}

/** Returns the key of a page that leads to a URL, and the function that composes it. */
export function createRedirect(
  { composer, engineVersion }: { readonly composer: Composer; readonly engineVersion: string },
  url: string,
  language: TextLanguage,
): { readonly key: string; readonly make: () => string } {
  return {
    key: contentKey('redirect', engineVersion, url, language.tag),
    make: () => composer.composeRedirect({ url, language }),
  };
}

/** Length of the part of a page that shows before a reader scrolls, in characters of running text; on a phone about as much. */
const FOLD = 800;
/** CSS pixels of an image that take the place of a character. */
const PIXELS_A_CHARACTER = 220;
/** An image of unknown size counts as this many characters: the width of a badge. */
const UNKNOWN = 20;
/** Images from this size on, in CSS pixels, may be the largest thing that a reader sees first. */
const LARGE = 40_000;

/** A piece of text, or the tag of an element. */
const PIECE = /[^<]+|<(?:[^<>"']|"[^"]*"|'[^']*')*>/g;
/** Attributes that the renderer writes into images, in this order only where their author says nothing. */
const LAZY = ' decoding="async" loading="lazy"';

/**
 * Makes browsers load the images at once that a reader probably sees first, the first large one of them before others; `html` is
 * the text of a page with the sizes of its images. The renderer asks that images be loaded when they come near.
 */
export function loadFirstImages(html: string): string {
  const last = html.lastIndexOf(LAZY);
  let seen = 0;
  let isLargeKnown = false;
  let [written, end] = ['', 0];
  for (const { 0: piece, index } of html.matchAll(PIECE)) {
    if (seen >= FOLD || index > last) break;
    if (!piece.startsWith('<')) {
      seen += piece.length;
      continue;
    }
    if (!/^<img\s/i.test(piece)) continue;
    const [width, height] = ['width', 'height'].map((name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(piece)?.[1]));
    const pixels = width! * height!;
    const isFirst: boolean = pixels >= LARGE && !isLargeKnown;
    isLargeKnown ||= isFirst;
    written += html.slice(end, index) + piece.replace(LAZY, isFirst ? ' fetchpriority="high"' : '');
    end = index + piece.length;
    seen += Number.isNaN(pixels) ? UNKNOWN : pixels / PIXELS_A_CHARACTER;
  }
  return written + html.slice(end);
}

/** Height limit of the hero's picture, in CSS pixels, as in `home.css`. */
const HERO_HEIGHT = 320;

/** Returns a landing page's opening with the size of the hero's picture, which `sizeOf` finds for a file. */
export async function createSizedHomeModel(
  page: Page,
  {
    resolve,
    sizeOf,
  }: {
    readonly resolve: (slot: LinkSlot) => LinkOutcome;
    readonly sizeOf: (file: string) => Promise<ImageSize | undefined>;
  },
): Promise<HomeModel> {
  const files = new Map<string, string | undefined>();
  const home = createHomeModel(page, (slot) => {
    const { url, file } = resolve(slot);
    files.set(url, file);
    return url;
  });
  const file = home.image && files.get(home.image.url);
  const size = file === undefined ? undefined : await sizeOf(file);
  return home.image && size ? { ...home, image: { ...home.image, ...fitHero(size) } } : home;
}

/** Returns the size with at most the greatest height: browsers would not derive the width from that. */
function fitHero({ width, height, isProportion }: ImageSize): Pick<PictureModel, 'width' | 'height'> {
  const factor = isProportion ? HERO_HEIGHT / height : Math.min(1, HERO_HEIGHT / height);
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Returns a landing page's opening; `resolve` returns the URL of a link or picture. */
export function createHomeModel({ meta }: Page, resolve: (slot: LinkSlot) => string): HomeModel {
  const { hero, features, logos, closing } = meta;
  const link = (url: string, line: number): string => resolveLoose({ url, line, kind: 'link' }, resolve);
  const placePicture = ({ url, dark, alt, line }: Picture): PictureModel => {
    const image = (from: string): string => resolveLoose({ url: from, line, kind: 'image' }, resolve);
    return { url: image(url), ...(dark !== undefined && { dark: image(dark) }), alt };
  };
  const placeIcon = (icon: Feature['icon']): IconModel | undefined => {
    if (icon === undefined) return undefined;
    if (typeof icon === 'string') return { text: icon };
    return 'svg' in icon ? { svg: icon.svg } : { image: placePicture(icon) };
  };
  const placeAction = (action: NonNullable<PageMeta['hero']>['actions'][number]): HomeModel['actions'][number] => {
    const { text, link: url, primary, line } = action;
    return { title: text, url: link(url, line), primary };
  };
  return {
    name: hero?.name,
    text: hero?.text,
    tagline: hero?.tagline,
    image: hero?.image && placePicture(hero.image),
    actions: (hero?.actions ?? []).map(placeAction),
    features: features.map((feature) => ({
      icon: placeIcon(feature.icon),
      title: feature.title,
      details: feature.details,
      link:
        feature.link === undefined
          ? undefined
          : { title: feature.linkText ?? feature.title, url: link(feature.link, feature.line) },
    })),
    logos: logos && {
      title: logos.title,
      items: logos.items.map(({ image, link: url }) => ({
        image: placePicture(image),
        url: url === undefined ? undefined : link(url, image.line),
      })),
    },
    closing: closing && { ...closing, actions: closing.actions.map(placeAction) },
  };
}

function resolveLoose({ kind, url, line }: LinkSlot, resolve: (slot: LinkSlot) => string): string {
  return isAbsoluteUrl(url) ? url : resolve({ kind, url, line });
}

/** Front matter about everything around a page's text, with its links resolved. Plain data: part of the page's key. */
interface PageSurroundings
  extends Pick<PageModel, 'hasSidebar' | 'head' | 'editUrl' | 'sourceUrl' | 'asksForButton' | 'updated' | 'image'> {
  readonly outline: readonly [from: number, to: number];
  readonly previous: OwnNeighbour | false | undefined;
  readonly next: OwnNeighbour | false | undefined;
}

/** Properties that are undefined are as in the navigation. */
interface OwnNeighbour {
  readonly title: string | undefined;
  readonly url: string | undefined;
}

/** Returns the surroundings of a page; `editUrl`, `sourceUrl` and `written`, in seconds since 1970, are those of its file, and `resolve` returns the URL of a link. */
export function surroundPage(
  { frame }: PageMeta,
  {
    editUrl,
    sourceUrl,
    written,
    address,
    resolve,
  }: {
    readonly editUrl: string | undefined;
    readonly sourceUrl: string | undefined;
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
    hasSidebar,
    outline,
    head,
    previous,
    next,
    editUrl: edit === false ? undefined : (edit ?? editUrl),
    // A page that is edited elsewhere, or nowhere, is made of something else.
    sourceUrl: edit === undefined ? sourceUrl : undefined,
    asksForButton: frame.asksForButton,
    image: placeImage(),
    updated: frame.updated === false ? undefined : (frame.updated ?? ofFile),
  };
}

/** Returns a neighbour of a page as it is shown. `root` leads from the page to its release's root. */
function joinNeighbour(
  natural: TextLink | undefined,
  own: OwnNeighbour | false | undefined,
  { navigation, root }: { readonly navigation: Pick<ReleaseNavigation, 'titleOf'>; readonly root: string },
): TextLink | undefined {
  if (own === false) return undefined;
  if (own?.url === undefined) return natural && { url: natural.url, title: own?.title ?? natural.title };
  const { url } = own;
  if (own.title !== undefined || !url.startsWith(root)) return { url, title: own.title ?? url };
  const address = decodeURIComponent(url.slice(root.length).replace(/[?#].*/s, ''));
  return { url, title: navigation.titleOf(address.replace(/(^|\/)$/, '$1index.html')) || url };
}
