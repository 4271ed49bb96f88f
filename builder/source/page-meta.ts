/** What a page's front matter says about the page itself; other keys belong to other tools and are left alone. */
export interface PageMeta {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Position among its neighbours; pages without one come after those with one. */
  readonly order: number | undefined;
  readonly layout: 'doc' | 'home';
  readonly hero: Hero | undefined;
  readonly features: readonly Feature[];
}

/** The opening of a landing page; links and images as written. */
export interface Hero {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly tagline: string | undefined;
  readonly image: { readonly url: string; readonly alt: string } | undefined;
  readonly actions: readonly { readonly text: string; readonly link: string; readonly primary: boolean }[];
}

/** One card below the opening. */
export interface Feature {
  readonly icon: string | undefined;
  readonly title: string;
  readonly details: string;
  readonly link: string | undefined;
  readonly linkText: string | undefined;
}

type Data = Readonly<Record<string, unknown>>;

/** Reads the keys docbuild knows: `title`, `description`, `order` (or its names in other tools), `layout`, `hero`, `features`. */
export function readPageMeta(data: Data): PageMeta {
  return {
    title: text(own(data, 'title')),
    description: text(own(data, 'description')),
    order: number(own(data, 'order') ?? own(data, 'sidebar_position') ?? own(data, 'nav_order') ?? own(data, 'weight')),
    layout: own(data, 'layout') === 'home' ? 'home' : 'doc',
    hero: readHero(own(data, 'hero')),
    features: list(own(data, 'features')).flatMap((item) => readFeature(item)),
  };
}

function readHero(value: unknown): Hero | undefined {
  const hero = map(value);
  if (!hero) return undefined;
  const image = map(own(hero, 'image')) ?? { src: own(hero, 'image') };
  const source = text(own(image, 'src')) ?? text(own(image, 'light'));
  return {
    name: text(own(hero, 'name')),
    text: text(own(hero, 'text')),
    tagline: text(own(hero, 'tagline')),
    image: source === undefined ? undefined : { url: source, alt: text(own(image, 'alt')) ?? '' },
    actions: list(own(hero, 'actions')).flatMap((item) => {
      const action = map(item);
      const label = action && text(own(action, 'text'));
      const link = action && text(own(action, 'link'));
      if (!action || label === undefined || link === undefined) return [];
      return [{ text: label, link, primary: own(action, 'theme') !== 'alt' }];
    }),
  };
}

function readFeature(value: unknown): readonly Feature[] {
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
    },
  ];
}

function own(data: Data, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function map(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 100) : [];
}
