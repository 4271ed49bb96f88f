import { type Data, type LineOf, list, map, own, text } from '../text/data-values.ts';

/** The opening of a landing page; links and images as written, with their lines in the file. */
export interface Hero {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly tagline: string | undefined;
  readonly image: { readonly url: string; readonly alt: string; readonly line: number } | undefined;
  readonly actions: readonly {
    readonly text: string;
    readonly link: string;
    readonly primary: boolean;
    readonly line: number;
  }[];
}

/** One card below the opening. */
export interface Feature {
  readonly icon: string | undefined;
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
}

/**
 * Returns a landing page's opening from the front matter of VitePress (`hero`, `features`), VuePress (`heroText`,
 * `actions`) or Starlight (`hero` with `title` and `image.file`).
 */
export function readLandingPage(data: Data, lineOf: LineOf): LandingPage {
  const hero = map(own(data, 'hero'));
  const ofVuePress = (path: readonly PropertyKey[]): number =>
    lineOf(path[0] === 'image' ? ['heroImage'] : Object.hasOwn(data, 'actions') ? path : ['actionLink']);
  return {
    hero: hero ? readHero(hero, (path) => lineOf(['hero', ...path])) : readHero(readVuePressHero(data), ofVuePress),
    features: list(own(data, 'features')).flatMap((item, at) =>
      readFeature(item, () => lineOf(['features', at, 'link'])),
    ),
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
  const image = map(own(hero, 'image')) ?? { src: own(hero, 'image') };
  const source = ['src', 'file', 'light'].map((key) => text(own(image, key))).find((url) => url !== undefined);
  return {
    name: text(own(hero, 'name')) ?? text(own(hero, 'title')),
    text: text(own(hero, 'text')),
    tagline: text(own(hero, 'tagline')),
    image:
      source === undefined
        ? undefined
        : { url: source, alt: text(own(image, 'alt')) ?? '', line: lineOf(['image', 'src']) },
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

function readFeature(value: unknown, lineOf: () => number): readonly Feature[] {
  const feature = map(value);
  const title = feature && text(own(feature, 'title'));
  if (!feature || title === undefined) return [];
  const icon = text(own(feature, 'icon'));
  return [
    {
      // An icon is an emoji or two; markup and pictures of other themes are left out.
      icon: icon !== undefined && icon.length <= 16 && !icon.includes('<') ? icon : undefined,
      title,
      details: text(own(feature, 'details')) ?? '',
      link: text(own(feature, 'link')),
      linkText: text(own(feature, 'linkText')),
      line: own(feature, 'link') === undefined ? 0 : lineOf(),
    },
  ];
}
