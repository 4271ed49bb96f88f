import { type Data, type LineOf, list, map, own, text } from '../text/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';
import { readDrawing } from './read-drawing.ts';

/** A picture as written, with its line in the file. */
export interface Picture {
  readonly url: string;
  /** What is shown in its place on dark pages. */
  readonly dark?: string;
  readonly alt: string;
  readonly line: number;
}

/** The opening of a landing page; links and images as written, with their lines in the file. */
export interface Hero {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly tagline: string | undefined;
  readonly image: Picture | undefined;
  readonly actions: readonly {
    readonly text: string;
    readonly link: string;
    readonly primary: boolean;
    readonly line: number;
  }[];
}

/** One card below the opening. */
export interface Feature {
  /** An emoji or two, a drawing ready for HTML, or a picture. */
  readonly icon: string | { readonly svg: string } | Picture | undefined;
  readonly title: string;
  readonly details: string;
  readonly link: string | undefined;
  readonly linkText: string | undefined;
  /** Of the link. */
  readonly line: number;
}

/** The part of a landing page above its text. */
export interface LandingPage {
  readonly hero: Hero | undefined;
  readonly features: readonly Feature[];
  readonly problems: readonly FrontMatterProblem[];
}

/**
 * Returns a landing page's opening from the front matter of VitePress (`hero`, `features`), VuePress (`heroText`,
 * `actions`) or Starlight (`hero` with `title` and `image.file`).
 */
export function readLandingPage(data: Data, lineOf: LineOf): LandingPage {
  const hero = map(own(data, 'hero'));
  const problems: FrontMatterProblem[] = [];
  const ofVuePress = (path: readonly PropertyKey[]): number =>
    lineOf(path[0] === 'image' ? ['heroImage'] : Object.hasOwn(data, 'actions') ? path : ['actionLink']);
  return {
    hero: hero ? readHero(hero, (path) => lineOf(['hero', ...path])) : readHero(readVuePressHero(data), ofVuePress),
    features: list(own(data, 'features')).flatMap((item, at) =>
      readFeature(item, (key) => lineOf(['features', at, key]), problems),
    ),
    problems,
  };
}

/** Returns a hero with VitePress' keys; VuePress has them in the page itself. */
function readVuePressHero(data: Data): Data | undefined {
  const name = own(data, 'heroText');
  const image = own(data, 'heroImage');
  const action = { text: own(data, 'actionText'), link: own(data, 'actionLink') };
  const actions = own(data, 'actions') ?? [action];
  if (own(data, 'home') !== true && name === undefined && image === undefined) return undefined;
  return { name, image, tagline: own(data, 'tagline'), actions };
}

function readHero(hero: Data | undefined, lineOf: LineOf): Hero | undefined {
  if (!hero) return undefined;
  return {
    name: plain(own(hero, 'name')) ?? plain(own(hero, 'title')),
    text: plain(own(hero, 'text')),
    tagline: plain(own(hero, 'tagline')),
    image: readPicture(own(hero, 'image'), () => lineOf(['image', 'src'])),
    actions: list(own(hero, 'actions')).flatMap((item, at) => {
      const action = map(item);
      const label = action && text(own(action, 'text'));
      const link = action && text(own(action, 'link'));
      if (!action || label === undefined || link === undefined) return [];
      const kind = own(action, 'theme') ?? own(action, 'type') ?? own(action, 'variant') ?? 'primary';
      return [
        { text: label, link, primary: kind === 'primary' || kind === 'brand', line: lineOf(['actions', at, 'link']) },
      ];
    }),
  };
}

/** Returns a text without the tags that VitePress allows in it. */
function plain(value: unknown): string | undefined {
  return text(value)
    ?.replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns a picture: its URL, or a map of VitePress (`src`, or `light` and `dark`) or Starlight (`file`). */
function readPicture(value: unknown, lineOf: () => number): Picture | undefined {
  const image = map(value) ?? { src: value };
  const url = ['src', 'file', 'light', 'dark'].map((key) => text(own(image, key))).find((found) => found !== undefined);
  if (url === undefined) return undefined;
  const dark = text(own(image, 'dark'));
  return {
    url,
    ...(dark !== undefined && dark !== url && { dark }),
    alt: text(own(image, 'alt')) ?? '',
    line: lineOf(),
  };
}

/** Returns an icon; of a text that is none, nothing, and a problem. */
function readIcon(value: unknown, lineOf: () => number, problems: FrontMatterProblem[]): Feature['icon'] {
  const icon = text(value);
  if (icon === undefined) return map(value) && readPicture(value, lineOf);
  if (/^\S+\.(?:svg|png|jpe?g|webp|gif|avif)$/i.test(icon)) return readPicture(icon, lineOf);
  if (icon.startsWith('<svg')) {
    const svg = readDrawing(icon);
    if (svg !== undefined) return { svg };
  } else if (icon.length <= 16 && !icon.includes('<')) return icon;
  // Names of icons in other themes are single words.
  if (/[<\s]/.test(icon)) {
    const message =
      'Icon left out: it must be an emoji, an image, or an SVG of shapes and colours without styles, scripts and links';
    problems.push({ line: lineOf(), message });
  }
  return undefined;
}

function readFeature(
  value: unknown,
  lineOf: (key: 'icon' | 'link') => number,
  problems: FrontMatterProblem[],
): readonly Feature[] {
  const feature = map(value);
  const title = feature && text(own(feature, 'title'));
  if (!feature || title === undefined) return [];
  return [
    {
      icon: readIcon(own(feature, 'icon'), () => lineOf('icon'), problems),
      title,
      details: plain(own(feature, 'details')) ?? '',
      link: text(own(feature, 'link')),
      linkText: text(own(feature, 'linkText')),
      line: own(feature, 'link') === undefined ? 0 : lineOf('link'),
    },
  ];
}
