import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { HomeModel, IconModel, PictureModel } from '../../compose/page-model.ts';
import type { LinkSlot } from '../../model.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import type { Feature, Picture } from '../../source/pages/landing-page.ts';

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
