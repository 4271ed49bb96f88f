import { decodeHTML } from 'entities';
import { escapeHtml } from '../../../lib/html-text.ts';
import { findMeant } from '../../../lib/similar-names.ts';
import { type Data, type LineOf, list, map, own, text } from '../../config/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

/** A picture as written, with its line in the file. */
export interface Picture {
  readonly url: string;
  /** Its replacement on dark pages. */
  readonly dark?: string;
  readonly alt: string;
  readonly line: number;
}

/** The opening of a landing page; links and images as written, with their lines in the file. */
/** A button that leads somewhere. */
interface Action {
  readonly text: string;
  readonly link: string;
  readonly primary: boolean;
  readonly line: number;
}

/** Logos below the cards, with what stands above them; and the call that closes the page. */
export interface Logos {
  readonly title: string | undefined;
  readonly items: readonly { readonly image: Picture; readonly link: string | undefined }[];
}

export interface Closing {
  readonly title: string;
  readonly text: string | undefined;
  readonly actions: readonly Action[];
}

export interface Hero {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly tagline: string | undefined;
  readonly image: Picture | undefined;
  readonly actions: readonly Action[];
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
  readonly logos: Logos | undefined;
  readonly closing: Closing | undefined;
  readonly problems: readonly FrontMatterProblem[];
}

/**
 * Returns a landing page's opening from the front matter of VitePress (`hero`, `features`), VuePress (`heroText`,
 * `actions`) or Starlight (`hero` with `title` and `image.file`).
 */
export function readLandingPage(data: Data, lineOf: LineOf): LandingPage {
  const hero = map(own(data, 'hero'));
  const problems: FrontMatterProblem[] = findMistypedParts(data, lineOf);
  const ofVuePress = (path: readonly PropertyKey[]): number =>
    lineOf(path[0] === 'image' ? ['heroImage'] : Object.hasOwn(data, 'actions') ? path : ['actionLink']);
  return {
    hero: hero ? readHero(hero, (path) => lineOf(['hero', ...path])) : readHero(readVuePressHero(data), ofVuePress),
    features: list(own(data, 'features')).flatMap((item, at) =>
      readFeature(item, (key) => lineOf(['features', at, key]), problems),
    ),
    logos: readLogos(own(data, 'logos'), lineOf),
    closing: readClosing(map(own(data, 'closing')), lineOf),
    problems,
  };
}

/** Keys of the parts of a landing page, those of other generators included; `*` stands for the places in a list. */
const KEYS: readonly (readonly [path: string, keys: string])[] = [
  ['hero', 'name title text tagline image actions'],
  ['hero.image', 'src file light dark alt html title width height'],
  ['hero.actions.*', 'text link theme type variant icon attrs target rel'],
  ['features.*', 'icon title details link linkText rel target'],
  ['features.*.icon', 'src light dark alt width height wrap'],
  ['logos', 'title items'],
  ['logos.items.*', 'src file light dark alt link title width height'],
  ['closing', 'title text actions'],
  ['closing.actions.*', 'text link theme type variant icon attrs target rel'],
];
const MAX_MISTYPED = 10;

/** Returns the keys inside of the parts that were probably meant to be others; any other key may belong to another tool. */
function findMistypedParts(data: Data, lineOf: LineOf): FrontMatterProblem[] {
  const problems: FrontMatterProblem[] = [];
  for (const [pattern, keys] of KEYS) {
    const known = keys.split(' ');
    for (const { path, part } of findParts(data, pattern.split('.'))) {
      for (const key of Object.keys(part)) {
        const meant = known.includes(key) ? undefined : findMeant(key, known);
        if (meant === undefined || Object.hasOwn(part, meant) || problems.length === MAX_MISTYPED) continue;
        const name = [...path, key].filter((step) => typeof step === 'string').join('.');
        problems.push({ line: lineOf([...path, key]), message: `Unknown key "${name}": did you mean "${meant}"?` });
      }
    }
  }
  return problems;
}

interface Part {
  readonly path: readonly (string | number)[];
  readonly part: Data;
}

/** Finds the maps at a path. */
function findParts(data: Data, steps: readonly string[]): readonly Part[] {
  let found: readonly { readonly path: Part['path']; readonly value: unknown }[] = [{ path: [], value: data }];
  for (const step of steps) {
    found = found.flatMap(({ path, value }) =>
      step === '*'
        ? list(value).map((item, at) => ({ path: [...path, at], value: item }))
        : [{ path: [...path, step], value: own(map(value) ?? {}, step) }],
    );
  }
  return found.flatMap(({ path, value }) => {
    const part = map(value);
    return part === undefined ? [] : [{ path, part }];
  });
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
    actions: readActions(own(hero, 'actions'), (at) => lineOf(['actions', at, 'link'])),
  };
}

function readActions(value: unknown, lineOf: (at: number) => number): readonly Action[] {
  return list(value).flatMap((item, at) => {
    const action = map(item);
    const label = action && text(own(action, 'text'));
    const link = action && text(own(action, 'link'));
    if (!action || label === undefined || link === undefined) return [];
    const kind = own(action, 'theme') ?? own(action, 'type') ?? own(action, 'variant') ?? 'primary';
    return [{ text: label, link, primary: kind === 'primary' || kind === 'brand', line: lineOf(at) }];
  });
}

/** Most logos of a page. */
const MAX_LOGOS = 60;

/** A list of pictures, or a map of `title` and `items`; each may have a `link`. */
function readLogos(value: unknown, lineOf: LineOf): Logos | undefined {
  const around = map(value);
  const path = around ? ['logos', 'items'] : ['logos'];
  const items = list(around ? own(around, 'items') : value).slice(0, MAX_LOGOS);
  const logos = items.flatMap((item, at) => {
    const image = readPicture(item, () => lineOf([...path, at]));
    return image ? [{ image, link: text(own(map(item) ?? {}, 'link')) }] : [];
  });
  return logos.length === 0 ? undefined : { title: around && plain(own(around, 'title')), items: logos };
}

function readClosing(closing: Data | undefined, lineOf: LineOf): Closing | undefined {
  const title = closing && plain(own(closing, 'title'));
  if (!closing || title === undefined) return undefined;
  const actions = readActions(own(closing, 'actions'), (at) => lineOf(['closing', 'actions', at, 'link']));
  return { title, text: plain(own(closing, 'text')), actions };
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

/** Longest drawing, in characters. */
const MAX_LENGTH = 20_000;

const ELEMENTS: ReadonlySet<string> = new Set(
  'svg g path circle ellipse rect line polyline polygon defs linearGradient radialGradient stop clipPath mask title'.split(
    ' ',
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  [
    'viewBox width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points transform id offset opacity',
    'fill fill-opacity fill-rule clip-rule clip-path mask stroke stroke-width stroke-linecap stroke-linejoin stroke-opacity',
    'stroke-dasharray stroke-dashoffset stroke-miterlimit stop-color stop-opacity gradientUnits gradientTransform',
    'preserveAspectRatio maskUnits color',
  ]
    .join(' ')
    .split(' '),
);
const TOKEN =
  /<!--[\s\S]*?-->|<(?<closes>\/?)(?<name>[a-zA-Z]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<isEmpty>\/?)>|(?<text>[^<]+)/y;

/**
 * Returns a drawing for HTML: shapes and colours of the given SVG, rewritten from allowed elements and attributes. Returns undefined if it
 * has other elements, is not well-formed or too long; other attributes are left out.
 */
export function readDrawing(svg: string): string | undefined {
  const source = svg.trim();
  if (source.length > MAX_LENGTH) return undefined;
  const open: string[] = [];
  let written = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const groups = TOKEN.exec(source)?.groups;
    if (!groups) return undefined;
    const { closes, name, attributes = '', isEmpty, text } = groups;
    const isFirst = written === '';
    if (text !== undefined) {
      if (open.at(-1) === 'title') written += escapeHtml(decodeHTML(text));
      else if (text.trim() !== '') return undefined;
    } else if (name !== undefined) {
      // Only one element stands outside of all others.
      if (
        !ELEMENTS.has(name) ||
        (name === 'svg') !== (open.length === (closes ? 1 : 0)) ||
        (open.length === 0 && !isFirst)
      ) {
        return undefined;
      }
      if (closes) {
        if (open.pop() !== name) return undefined;
        written += `</${name}>`;
      } else {
        written += `<${name}${writeAttributes(attributes)}>`;
        if (isEmpty) written += `</${name}>`;
        else open.push(name);
      }
    }
  }
  return written !== '' && open.length === 0 ? written : undefined;
}

function writeAttributes(attributes: string): string {
  return [...attributes.matchAll(/(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
    .map(([, name, double, single]) => [name!, double ?? single ?? ''] as const)
    .filter(
      ([name, value]) =>
        ATTRIBUTES.has(name) &&
        /^(?:[^(&:;]|url\(#[\w-]+\)|(?:rgb|hsl|rotate|translate|scale|matrix|skew[XY])a?\()*$/.test(value),
    )
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}
