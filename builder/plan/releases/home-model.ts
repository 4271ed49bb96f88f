import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { HomeModel } from '../../compose/page-model.ts';
import type { LinkSlot } from '../../model.ts';
import type { Page } from '../../source/pages/collect-pages.ts';

/** Returns a landing page's opening; `resolve` returns the URL of a link or picture. */
export function createHomeModel({ meta }: Page, resolve: (slot: LinkSlot) => string): HomeModel {
  const { hero, features } = meta;
  const link = (url: string, line: number): string => resolveLoose({ url, line, kind: 'link' }, resolve);
  return {
    name: hero?.name,
    text: hero?.text,
    tagline: hero?.tagline,
    image: hero?.image && { url: resolveLoose({ ...hero.image, kind: 'image' }, resolve), alt: hero.image.alt },
    actions: (hero?.actions ?? []).map(({ text, link: url, primary, line }) => ({
      title: text,
      url: link(url, line),
      primary,
    })),
    features: features.map((feature) => ({
      icon: feature.icon,
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
