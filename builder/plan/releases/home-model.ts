import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { HomeModel, IconModel, PictureModel } from '../../compose/page-model.ts';
import type { LinkSlot } from '../../model.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { Feature, Picture } from '../../source/pages/landing-page.ts';
import type { ImageSize } from '../image-size.ts';
import type { LinkOutcome } from '../links/link-scope.ts';

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
  const { hero, features } = meta;
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
  return {
    name: hero?.name,
    text: hero?.text,
    tagline: hero?.tagline,
    image: hero?.image && placePicture(hero.image),
    actions: (hero?.actions ?? []).map(({ text, link: url, primary, line }) => ({
      title: text,
      url: link(url, line),
      primary,
    })),
    features: features.map((feature) => ({
      icon: placeIcon(feature.icon),
      title: feature.title,
      details: feature.details,
      link:
        feature.link === undefined
          ? undefined
          : { title: feature.linkText ?? feature.title, url: link(feature.link, feature.line) },
    })),
  };
}

function resolveLoose({ kind, url, line }: LinkSlot, resolve: (slot: LinkSlot) => string): string {
  return isAbsoluteUrl(url) ? url : resolve({ kind, url, line });
}
