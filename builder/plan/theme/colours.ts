import {
  clampChroma,
  clampRgb,
  converter,
  formatHex,
  interpolate,
  modeHsl,
  modeHwb,
  modeLab,
  modeLch,
  modeLrgb,
  modeOklab,
  modeOklch,
  modeRgb,
  modeXyz50,
  modeXyz65,
  type Oklch,
  parse,
  useMode,
  wcagContrast,
} from 'culori/fn';

for (const mode of [
  modeRgb,
  modeHsl,
  modeHwb,
  modeLrgb,
  modeXyz50,
  modeXyz65,
  modeLab,
  modeLch,
  modeOklab,
  modeOklch,
]) {
  (useMode as (definition: unknown) => unknown)(mode);
}
const toOklch = converter('oklch');
const toRgb = converter('rgb');

/** Pages are light or dark. */
const KINDS = ['light', 'dark'] as const;
type Kind = (typeof KINDS)[number];

/** One colour for pages of both kinds, or one for each. */
type ThemeColour = string | { readonly [Name in Kind]?: string | undefined };

export interface ThemeColours {
  readonly accent?: ThemeColour | undefined;
  readonly colors?: { readonly [Name in ColourName]?: ThemeColour | undefined } | undefined;
}

const COLOUR_NAMES = ['background', 'text', 'header', 'headerText', 'links', 'code'] as const;
type ColourName = (typeof COLOUR_NAMES)[number];

/** The values of custom properties on pages of both kinds. */
type Tokens = Readonly<Record<Kind, Readonly<Record<string, string>>>>;

/** Colours of code by their custom properties, of an extension. */
export interface CodeColours {
  readonly extension: string;
  readonly themes: { readonly [Name in Kind]?: Readonly<Record<string, string>> | undefined };
}

/** A pair of colours that cannot be told apart well enough, and what replaces the first. */
export interface ContrastProblem {
  /** The key of the project file; empty for what an extension says. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Least contrast by WCAG 2 (AA) of text, and of the borders of controls. */
const TEXT = 4.5;
const BORDER = 3;

/** A ground is light or dark enough for texts, marks and code in all their colours from here, in OKLCH. */
const LIGHT_GROUND = 0.85;
const DARK_GROUND = 0.35;

/** Returns whether a text is an opaque CSS colour. */
export function isColour(text: string): boolean {
  const colour = parse(text);
  return colour !== undefined && (colour.alpha ?? 1) === 1;
}

/** Returns the kind of pages that a colour may be the ground of; undefined for one between light and dark. */
export function kindOfGround(text: string): Kind | undefined {
  const lightness = toOklch(text)?.l ?? 0.5;
  return lightness >= LIGHT_GROUND ? 'light' : lightness <= DARK_GROUND ? 'dark' : undefined;
}

/**
 * Returns the CSS rules for the colours of a project, and the pairs of them that fall below what can be read, with what is used
 * instead. `css` has docbuild's own custom properties.
 */
export function writeColours(
  colours: ThemeColours,
  css: string,
  code?: CodeColours,
): { readonly rules: string; readonly problems: readonly ContrastProblem[] } {
  const usual = readTokens(css);
  const { page, header, problems } = deriveColours(colours, usual, code);
  return {
    rules: writeTokens(':root', page, usual) + (header ? writeTokens('.site-header', header, usual) : ''),
    problems,
  };
}

/** Reads the custom properties with a colour for each kind of page, `--name: light-dark(#fff, #000)`, and those that are one, `--accent-light: #22f`. */
function readTokens(css: string): Tokens {
  const tokens: Record<Kind, Record<string, string>> = { light: {}, dark: {} };
  for (const [, name, kind, value] of css.matchAll(/(?<![\w-])--([\w-]+)-(light|dark): *(#[0-9a-f]{3,6})\b/g)) {
    tokens[kind as Kind][name!] = value!;
  }
  for (const [, name, light, dark] of css.matchAll(
    /(?<![\w-])--([\w-]+): *light-dark\((#[0-9a-f]{3,6}), *(#[0-9a-f]{3,6})\)/g,
  )) {
    tokens.light[name!] = light!;
    tokens.dark[name!] = dark!;
  }
  return tokens;
}

/** Properties of the text colours of code, which stand on its ground, and what they are called. */
const CODE_TEXTS: Readonly<Record<string, string>> = {
  'code-text': 'text',
  tk: 'keywords',
  ts: 'strings',
  tc: 'constants',
  tf: 'functions',
  tp: 'parameters',
  tm: 'comments',
  tu: 'punctuation',
  td: 'what is removed',
};
const MARK_TEXTS = ['gray', 'green', 'blue', 'purple', 'yellow', 'red'];

/**
 * Returns the custom properties that differ from the usual ones for the colours of a project, and the pairs of its colours that
 * fall below what can be read; those are replaced. The header's own are apart.
 */
function deriveColours(
  { accent, colors = {} }: ThemeColours,
  usual: Tokens,
  code: CodeColours | undefined,
): { readonly page: Tokens; readonly header: Tokens | undefined; readonly problems: readonly ContrastProblem[] } {
  const problems: ContrastProblem[] = [];
  const derived = KINDS.map((kind) => deriveKind(kind));
  const changed = (own: Readonly<Record<string, string>>, kind: Kind): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(own).filter(([name, value]) => usual[kind][name] !== value));
  const [light, dark] = derived as [(typeof derived)[0], (typeof derived)[0]];
  const hasHeader = light.header !== undefined || dark.header !== undefined;
  return {
    page: { light: changed(light.page, 'light'), dark: changed(dark.page, 'dark') },
    // A kind without a header of its own has that of its pages.
    header: hasHeader
      ? { light: light.header ?? pick(light.page, 'light'), dark: dark.header ?? pick(dark.page, 'dark') }
      : undefined,
    problems,
  };

  function deriveKind(kind: Kind) {
    const given = (name: ColourName): string | undefined => choose(colors[name], kind, name);
    const own = { background: given('background'), text: given('text'), code: given('code') };
    const page: Record<string, string> = { ...usual[kind] };
    if (own.background !== undefined || own.text !== undefined) {
      const bg = own.background ?? page.bg!;
      const text = check(['theme', 'colors', 'text'], own.text ?? page.text!, {
        grounds: [bg],
        kind,
        on: 'background',
        isOurs: own.text === undefined,
      });
      Object.assign(page, coverGround(bg, text, kind));
    }
    const painted = paintCode(page, kind);
    if (own.code !== undefined) page['code-bg'] = hex(own.code);
    const plain = groundsOf(page);
    const isOwn = Object.values(own).some((value) => value !== undefined);
    if (isOwn || painted.length > 0) coverCode(page, kind, painted);
    if (isOwn) {
      for (const name of MARK_TEXTS) page[name] = reach(page[name]!, plain, TEXT, washOf(page, kind));
    }
    // Links stand in notices, too.
    const notices = MARK_TEXTS.map((name) => mix(page.bg!, page[name]!, 0.09));
    const grounds = [...plain, ...notices];
    const seed = choose(accent, kind, 'accent');
    const paint = seed ?? (typeof accent === 'string' ? soften(accent, kind) : page.accent!);
    page.accent = check(['theme', 'accent'], paint, {
      grounds,
      wash: washOf(page, kind),
      kind,
      on: 'background',
      isOurs: seed === undefined,
    });
    page['on-accent'] = [page['on-accent']!, '#ffffff', '#000000'].find(
      (text) => contrast(text, page.accent!) >= TEXT,
    )!;
    const link = given('links') ?? (typeof colors.links === 'string' ? soften(colors.links, kind) : undefined);
    if (link !== undefined) {
      const isOurs = given('links') === undefined;
      page.link = check(['theme', 'colors', 'links'], link, { grounds, kind, on: 'background', isOurs });
    }
    const ground = given('header');
    const words = given('headerText');
    if (ground === undefined && words === undefined) return { page, header: undefined };
    const bg = hex(ground ?? page.bg!);
    const text = check(['theme', 'colors', 'headerText'], words ?? (ground === undefined ? page.text! : bestOn(bg)), {
      grounds: [bg],
      kind,
      on: 'header',
      isOurs: words === undefined,
    });
    const header = coverGround(bg, text, kind);
    // What is current is marked by the accent, or, where that cannot be read, by the text itself.
    const isReadable = reach(page.accent!, groundsOf(header), TEXT, washOf(header, kind)) === page.accent;
    header.accent = isReadable ? page.accent! : header.text!;
    header['on-accent'] = isReadable ? page['on-accent']! : bg;
    header['accent-wash'] = isReadable ? mix(bg, header.accent, SHARE[kind]) : bg;
    return { page, header };
  }

  /** Takes over the colours that an extension has for code; returns their names. A theme for pages of the other kind is left out. */
  function paintCode(page: Record<string, string>, kind: Kind): readonly string[] {
    const given = Object.entries(code?.themes[kind] ?? {}).filter(([, colour]) => parse(colour) !== undefined);
    const ground = given.find(([name]) => name === 'code-bg')?.[1];
    if (ground !== undefined && kindOfGround(ground) !== kind) {
      const message = `Extension "${code!.extension}": "codeTheme.${kind}" is left out: its background ${ground} is not ${kind} enough`;
      problems.push({ path: [], message });
      return [];
    }
    if (ground !== undefined) page['code-bg'] = hex(ground);
    // Editors blend what is not opaque with the ground.
    for (const [name, colour] of given)
      if (name !== 'code-bg') page[name] = mix(page['code-bg']!, colour, parse(colour)!.alpha ?? 1);
    return given.map(([name]) => name);
  }

  /** Makes the colours of code such that they can be read. `painted` are those of an extension, of which its author is told. */
  function coverCode(page: Record<string, string>, kind: Kind, painted: readonly string[]): void {
    const ground = page['code-bg']!;
    const replaced: string[] = [];
    for (const [name, label] of Object.entries(CODE_TEXTS)) {
      const given = page[name]!;
      page[name] = reach(given, [ground], TEXT);
      if (page[name] !== hex(given) && painted.includes(name))
        replaced.push(`${label} ${given} (${floorRatio(given, ground)}:1) by ${page[name]}`);
    }
    if (replaced.length === 0) return;
    const message = `Extension "${code!.extension}": "codeTheme.${kind}" has colours with a contrast of less than ${TEXT}:1 on ${ground}, which are replaced: ${replaced.join(', ')}`;
    problems.push({ path: [], message });
  }

  /** Returns a colour that can be read on its grounds: the given one, or another, which its author is told of. */
  function check(
    path: readonly string[],
    colour: string,
    {
      grounds,
      wash,
      kind,
      on,
      isOurs,
    }: {
      readonly grounds: readonly string[];
      readonly wash?: Wash;
      readonly kind: Kind;
      readonly on: string;
      readonly isOurs: boolean;
    },
  ): string {
    const used = reach(colour, grounds, TEXT, wash);
    if (used === hex(colour) || isOurs) return used;
    const washed = wash?.grounds.map((ground) => mix(ground, colour, wash.share)) ?? [];
    const ground = [...grounds, ...washed].find((one) => contrast(colour, one) < TEXT) ?? grounds[0]!;
    const ratio = floorRatio(colour, ground);
    const name = path.join('.');
    const message = `"${name}" ${colour} on the ${on} ${ground} of ${kind} pages has a contrast of ${ratio}:1, less than ${TEXT}:1: ${used} is used instead`;
    problems.push({ path, message });
    return used;
  }
}

/**
 * Returns the colour that is given for a kind of pages. One colour for both kinds is that of grounds and texts of the kind it fits;
 * a header may have it on both, and what is painted with it on dark pages is derived.
 */
function choose(given: ThemeColour | undefined, kind: Kind, name: ColourName | 'accent'): string | undefined {
  if (typeof given !== 'string') return given?.[kind];
  if (name === 'background' || name === 'code') return kindOfGround(given) === kind ? given : undefined;
  if (name === 'text') return (toOklch(given)!.l < 0.5 ? 'light' : 'dark') === kind ? given : undefined;
  if (name === 'accent' || name === 'links') return kind === 'light' ? given : undefined;
  return given;
}

/** Returns what is on a ground besides accent and marks: its shades, lines and texts. */
function coverGround(bg: string, text: string, kind: Kind): Record<string, string> {
  const away = kindOfText(text, bg) === 'dark' ? '#ffffff' : '#000000';
  const blend = (colour: string, share: number): string => hex(interpolate([bg, colour], 'oklab')(share));
  /** Of grounds that are between light and dark, the text may only just be read: their shades are farther from it. */
  const shade = (share: number): string => {
    const near = blend(text, share);
    return contrast(text, near) >= TEXT ? near : blend(away, share);
  };
  const soft = shade(0.04);
  const raised = kind === 'dark' ? shade(0.07) : hex(bg);
  const grounds = [hex(bg), soft, raised];
  const isRead = (colour: string): boolean => grounds.every((ground) => contrast(colour, ground) >= TEXT);
  const strong = { ...(toOklch(text) as Oklch) };
  strong.l = kindOfText(text, bg) === 'dark' ? strong.l * 0.6 : strong.l + (1 - strong.l) * 0.6;
  return {
    bg: hex(bg),
    'bg-soft': soft,
    'bg-raised': raised,
    'code-bg': soft,
    line: blend(text, 0.13),
    'line-strong': reach(blend(text, 0.5), [bg], BORDER),
    text: hex(text),
    'text-strong': hex(clampChroma(strong, 'oklch')),
    'text-soft': [reach(blend(text, 0.68), grounds, TEXT), hex(text)].find(isRead)!,
  };
}

/** Returns what a header like that of docbuild's own has of its page. */
function pick(page: Readonly<Record<string, string>>, kind: Kind): Readonly<Record<string, string>> {
  const names = ['bg', 'bg-soft', 'bg-raised', 'code-bg', 'line', 'line-strong', 'text', 'text-strong', 'text-soft'];
  const own = [...names, 'accent', 'on-accent'].map((name) => [name, page[name]!] as const);
  return { ...Object.fromEntries(own), 'accent-wash': mix(page.bg!, page.accent!, SHARE[kind]) };
}

/** Grounds on which a colour is read where they have a share of the same colour: what is current in menus, callouts. */
interface Wash {
  readonly grounds: readonly string[];
  readonly share: number;
}

const SHARE: Readonly<Record<Kind, number>> = { light: 0.08, dark: 0.14 };

function washOf(page: Readonly<Record<string, string>>, kind: Kind): Wash {
  return { grounds: [page.bg!, page['bg-raised']!], share: SHARE[kind] };
}

function mix(ground: string, colour: string, share: number): string {
  return hex(interpolate([ground, colour], 'rgb')(share));
}

function groundsOf(page: Readonly<Record<string, string>>): readonly string[] {
  return [page.bg!, page['bg-soft']!, page['bg-raised']!];
}

/** Returns a shade of an accent for dark pages: lighter, and less colourful, since it would glow there. */
function soften(accent: string, kind: Kind): string {
  const colour = toOklch(accent)!;
  return kind === 'light'
    ? accent
    : hex(clampChroma({ ...colour, l: Math.max(colour.l, 0.76), c: Math.min(colour.c, 0.15) }, 'oklch'));
}

/**
 * Returns the nearest colour, lighter or darker, that has a contrast with all grounds, also where these have some of it; without one,
 * the best of black and white.
 */
function reach(colour: string, grounds: readonly string[], ratio: number, wash?: Wash): string {
  const isEnough = (text: string): boolean =>
    grounds.every((ground) => contrast(text, ground) >= ratio) &&
    (wash?.grounds.every((ground) => contrast(text, mix(ground, text, wash.share)) >= ratio) ?? true);
  const given = hex(colour);
  if (isEnough(given)) return given;
  const { l, c, h } = toOklch(given) as Oklch;
  const best = bestOn(grounds[0]!);
  const end = best === '#ffffff' ? 1 : 0;
  for (let step = 1; step <= STEPS; step++) {
    const shade = hex(
      clampChroma({ mode: 'oklch', l: l + ((end - l) * step) / STEPS, c, ...(h !== undefined && { h }) }, 'oklch'),
    );
    if (isEnough(shade)) return shade;
  }
  return best;
}

const STEPS = 60;

function bestOn(ground: string): string {
  return contrast('#ffffff', ground) >= contrast('#000000', ground) ? '#ffffff' : '#000000';
}

function kindOfText(text: string, ground: string): Kind {
  return toOklch(text)!.l < toOklch(ground)!.l ? 'dark' : 'light';
}

const contrast = (one: string, other: string): number => wcagContrast(one, other);
const floorRatio = (one: string, other: string): number => Math.floor(contrast(one, other) * 10) / 10;

function hex(colour: Parameters<typeof toRgb>[0]): string {
  return formatHex(clampRgb(toRgb(colour)!));
}

/**
 * Returns the CSS of custom properties. Browsers that do not know `light-dark()` have the light ones, as in the theme's own. `accent` is
 * a pair of properties, of which all its shades are made.
 */
function writeTokens(selector: string, { light, dark }: Tokens, usual: Tokens): string {
  const names = [...new Set([...Object.keys(light), ...Object.keys(dark)])];
  if (names.length === 0) return '';
  const colourOf = (kind: Kind, name: string): string =>
    ({ light, dark })[kind][name] ?? usual[kind][name] ?? `var(--accent-${kind})`;
  const isAccent = (name: string): boolean => name === 'accent' && selector === ':root';
  const plain = names.map((name) =>
    isAccent(name)
      ? `--accent-light:${colourOf('light', name)};--accent-dark:${colourOf('dark', name)}`
      : `--${name}:${colourOf('light', name)}`,
  );
  const both = names
    .filter((name) => !isAccent(name))
    .map((name) => `--${name}:light-dark(${colourOf('light', name)},${colourOf('dark', name)})`);
  const full = both.length > 0 ? `@supports(color:light-dark(#000,#fff)){${selector}{${both.join(';')}}}\n` : '';
  return `${selector}{${plain.join(';')}}\n${full}`;
}
