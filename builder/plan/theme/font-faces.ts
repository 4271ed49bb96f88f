import type { BrandFont } from '../../compose/theme.ts';
import type { ThemeFile } from '../../compose/theme-files.ts';
import type { FontFacts } from './fonts.ts';

/** Uses of fonts. */
export const FONT_USES = ['body', 'heading', 'code'] as const;
export type FontUse = (typeof FONT_USES)[number];

/** A file of a font as its author lists it: a path, or more than that where the file itself does not say it. */
export type ThemeFace =
  | string
  | {
      readonly file: string;
      readonly weight?: string | undefined;
      readonly style?: 'normal' | 'italic' | undefined;
      /** Code of the language whose pages have it instead. */
      readonly lang?: string | undefined;
    };

/** A file of a font that has been read. */
export interface FontFace {
  readonly use: FontUse;
  readonly file: ThemeFile;
  readonly facts: FontFacts;
  readonly given: Exclude<ThemeFace, string>;
}

const FORMATS: Readonly<Record<string, readonly [format: string, type: string]>> = {
  '.woff2': ['woff2', 'font/woff2'],
  '.woff': ['woff', 'font/woff'],
  '.ttf': ['truetype', 'font/ttf'],
  '.otf': ['opentype', 'font/otf'],
};
const formatOf = (name: string) => FORMATS[/\.\w+$/.exec(name)![0]]!;

/** Returns the rules that make fonts those of a site, and what is to be loaded at once. */
export function writeFonts(faces: readonly FontFace[]): {
  readonly rules: string;
  readonly preloads: readonly BrandFont[];
} {
  const rules: string[] = [];
  const preloads: BrandFont[] = [];
  for (const use of FONT_USES) {
    const own = faces.filter((face) => face.use === use);
    // What all languages have comes first, those of one language take its place.
    const languages = [...new Set(own.map(({ given }) => given.lang))].sort(
      (a, b) => Number(a !== undefined) - Number(b !== undefined),
    );
    for (const lang of languages) {
      const family = `docbuild-${use}${lang === undefined ? '' : `-${tagOf(lang)}`}`;
      const listed = own.filter(({ given }) => given.lang === lang);
      const main = listed.find((face) => !isItalic(face)) ?? listed[0]!;
      rules.push(...listed.map((face) => writeFace(family, face, listed)));
      const { fallback } = main.facts;
      if (fallback) {
        const locals = fallback.locals.map((name) => `local("${name}")`).join();
        rules.push(`@font-face{font-family:"${family}-fallback";src:${locals};${fallback.descriptors}}`);
      }
      const families = [family, ...(fallback ? [`${family}-fallback`] : [])].map((name) => `"${name}"`);
      const usual = use === 'code' ? 'var(--mono)' : use === 'body' ? 'var(--sans)' : 'var(--font-body,var(--sans))';
      const selector = lang === undefined ? ':root,[lang]' : `:lang(${tagOf(lang)})`;
      rules.push(`${selector}{--font-${use}:${[...families, usual].join()}}`);
      // Code is rarely what is seen first.
      if (use !== 'code') preloads.push({ use, name: main.file.name, type: formatOf(main.file.name)[1], lang });
    }
  }
  return { rules: rules.map((rule) => `${rule}\n`).join(''), preloads };
}

/** Returns those of the fonts that a page in a language needs at once: its own, or those of all. */
export function selectFonts<Font extends Pick<BrandFont, 'use' | 'lang'>>(
  preloads: readonly Font[],
  tag: string,
): readonly Font[] {
  const isFor = ({ lang }: { readonly lang: string | undefined }): boolean => {
    const wanted = lang === undefined ? undefined : tagOf(lang).toLowerCase();
    return wanted !== undefined && `${tag.toLowerCase()}-`.startsWith(`${wanted}-`);
  };
  return FONT_USES.flatMap((use) => {
    const own = preloads.filter((preload) => preload.use === use);
    return own.find(isFor) ?? own.find(({ lang }) => lang === undefined) ?? [];
  });
}

function writeFace(family: string, face: FontFace, beside: readonly FontFace[]): string {
  const { file, facts } = face;
  // Files of one weight are parts of one font: the browser loads those whose characters are on the page.
  const isPart = beside.some(
    (other) => other !== face && weightOf(other) === weightOf(face) && isItalic(other) === isItalic(face),
  );
  const descriptors = [
    `font-family:"${family}"`,
    `src:url("./${file.name}") format("${formatOf(file.name)[0]}")`,
    `font-weight:${weightOf(face)}`,
    `font-style:${isItalic(face) ? 'italic' : 'normal'}`,
    'font-display:swap',
    ...(isPart ? [`unicode-range:${facts.range}`] : []),
  ];
  return `@font-face{${descriptors.join(';')}}`;
}

const weightOf = ({ given, facts }: FontFace): string => given.weight ?? facts.weight;
const isItalic = ({ given, facts }: FontFace): boolean =>
  given.style === undefined ? facts.isItalic : given.style === 'italic';
const tagOf = (lang: string): string => lang.replaceAll('_', '-');
