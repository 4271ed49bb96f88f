import { isWebUrl } from '../../../lib/url-text.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { type Brand, type BrandScript, THEME_IMAGES, type ThemeImage } from '../../compose/theme.ts';
import { nameByContent, readTokenStyles, type ThemeFile } from '../../compose/theme-files.ts';
import { type Extension, type ExtensionMeters, runExtensionSoon } from '../../extension.ts';
import { readImageSize } from '../image-size.ts';
import { listAnalytics, type ThemeAnalytics } from './analytics.ts';
import type { CodeColours, ThemeColours } from './colours.ts';
import { FONT_USES, type FontFace, type FontUse, type ThemeFace, writeFonts } from './font-faces.ts';
import type { FontFacts } from './fonts.ts';
import {
  endingOf,
  type FileSource,
  FONTS,
  type FoundFile,
  IMAGES,
  MAX_BYTES,
  openRepositoryFiles,
  SHEETS,
  stemOf,
  type ThemeProblem,
} from './repository-files.ts';

/** The look as a project file states it, checked by its schema. */
export interface Theme
  extends ThemeColours,
    Readonly<Partial<Record<(typeof THEME_IMAGES)[number], string | undefined>>> {
  readonly styles?: string | readonly string[] | undefined;
  readonly fonts?: { readonly [Use in FontUse]?: readonly ThemeFace[] | undefined } | undefined;
  readonly scripts?: string | readonly string[] | undefined;
  readonly analytics?: ThemeAnalytics | undefined;
}

/** The source of a theme: the files of the version that all others look like. */
export interface ThemeSource extends FileSource {
  readonly cache: Pick<Cache, 'memo'>;
  /** Why scripts are left out, if they are. */
  readonly scripts: 'run' | 'preview' | 'shared-host';
  /** Of an extension. */
  readonly codeTheme: OwnCodeTheme | undefined;
  readonly meters: Pick<ExtensionMeters, 'of'>;
  readonly composer: { createStyle(rules: string): ThemeFile };
}

export interface OwnCodeTheme {
  readonly extension: string;
  readonly themes: NonNullable<Extension['codeTheme']>;
}

const SCRIPTS = ['.js', '.mjs'];

/** Reads what a project file names for the look of its site, from the repository's root or the source folder. What cannot be used is left out. */
export async function readTheme(
  theme: Theme,
  source: ThemeSource,
): Promise<{ readonly brand: Brand; readonly problems: readonly ThemeProblem[] }> {
  const problems: ThemeProblem[] = [];
  const repository = openRepositoryFiles(source, (problem) => problems.push(problem));
  const images: { -readonly [Key in (typeof THEME_IMAGES)[number]]?: ThemeImage } = {};
  for (const key of THEME_IMAGES) {
    const name = theme[key];
    if (name === undefined) continue;
    const image = isWebUrl(name) ? { url: name } : await readImage(key, name);
    if (image) images[key] = image;
  }
  const sheets: ThemeFile[] = [];
  for (const [index, name] of list(theme.styles).entries()) {
    const at = ['theme', 'styles', ...(typeof theme.styles === 'string' ? [] : [index])];
    const found = await repository.read(name, { at, what: 'styles', endings: SHEETS, most: MAX_BYTES.styles });
    if (found) sheets.push(nameByContent('styles', '.css', await repository.openSheet(found)));
  }
  const fonts = await readFonts();
  const rules = (await readColours()) + fonts.rules;
  const scripts = await readScripts();
  const style = rules === '' ? undefined : source.composer.createStyle(rules);
  const { preloads } = fonts;
  return {
    brand: { images, style, sheets, preloads, scripts, files: [...repository.listReferred(), ...fonts.files] },
    problems,
  };

  async function readImage(key: string, name: string): Promise<ThemeImage | undefined> {
    const found = await repository.read(name, {
      at: ['theme', key],
      what: 'an image',
      endings: IMAGES,
      most: MAX_BYTES.image,
    });
    if (!found) return undefined;
    const size = await readImageSize(found.path, found.bytes);
    return { ...nameByContent(key, endingOf(found.path), found.bytes), ...(size && { size }) };
  }

  /** Reads the fonts; their rules are docbuild's own, since no style sheet of the project need know of them. */
  async function readFonts() {
    const faces: FontFace[] = [];
    for (const use of FONT_USES) {
      for (const [index, face] of (theme.fonts?.[use] ?? []).entries()) {
        const given = typeof face === 'string' ? { file: face } : face;
        const at = ['theme', 'fonts', use, index, 'file'];
        const found = await repository.read(given.file, { at, what: 'a font', endings: FONTS, most: MAX_BYTES.font });
        const facts = found && (await readFacts(found));
        if (facts)
          faces.push({ use, facts, given, file: nameByContent(stemOf(found.path), endingOf(found.path), found.bytes) });
        else if (found)
          problems.push({ at, code: 'missing-file', message: `File "${given.file}" is not a font that can be read` });
      }
    }
    return { ...writeFonts(faces), files: faces.map(({ file }) => file) };
  }

  async function readFacts({ oid, bytes }: FoundFile): Promise<FontFacts | undefined> {
    const facts = await source.cache.memo(FACTS, [oid], async () => {
      const { readFont } = await import('./fonts.ts');
      try {
        return { facts: readFont(bytes) };
      } catch {
        return {};
      }
    });
    return facts.facts;
  }

  /** Reads the scripts of the project; where its authors may not run any, they are left out, which they are told. */
  async function readScripts(): Promise<readonly BrandScript[]> {
    const scripts: BrandScript[] = [];
    const refuse = (key: string): void => {
      const message = `"theme.${key}" is left out: scripts of authors run at a host of the site's own only, which it does not have`;
      problems.push({ at: ['theme', key], code: 'project-file', message });
    };
    if (source.scripts === 'shared-host' && theme.scripts !== undefined) refuse('scripts');
    for (const [index, name] of source.scripts === 'shared-host' ? [] : list(theme.scripts).entries()) {
      const at = ['theme', 'scripts', ...(typeof theme.scripts === 'string' ? [] : [index])];
      const found = await repository.read(name, { at, what: 'a script', endings: SCRIPTS, most: MAX_BYTES.script });
      if (!found) continue;
      const file = nameByContent(stemOf(found.path), '.js', found.bytes);
      scripts.push({ file, isModule: endingOf(found.path) === '.mjs' });
    }
    if (theme.analytics === undefined) return scripts;
    if (source.scripts === 'shared-host') refuse('analytics');
    return source.scripts === 'run' ? [...scripts, ...listAnalytics(theme.analytics)] : scripts;
  }

  async function readColours(): Promise<string> {
    const { accent, colors } = theme;
    const { codeTheme } = source;
    if (accent === undefined && colors === undefined && codeTheme === undefined) return '';
    const { rules, problems: found } = await source.cache.memo(
      COLOURS,
      [JSON.stringify([accent, colors, ...(codeTheme ? [codeTheme] : [])])],
      async () => {
        const { writeColours } = await import('./colours.ts');
        const code =
          codeTheme && (await runExtensionSoon(source.meters.of(codeTheme.extension), () => readCode(codeTheme)));
        return writeColours({ accent, colors }, readTokenStyles(), code);
      },
    );
    for (const { path, message } of found) {
      problems.push({ at: path.length > 0 ? path : { file: '', line: 0 }, code: 'contrast', message });
    }
    return rules;
  }
}

async function readCode({ extension, themes: { light, dark } }: OwnCodeTheme): Promise<CodeColours> {
  const { readCodeTheme } = await import('./code-theme.ts');
  return { extension, themes: { light: light && readCodeTheme(light), dark: dark && readCodeTheme(dark) } };
}

const COLOURS = defineCacheKind<{
  readonly rules: string;
  readonly problems: readonly { readonly path: readonly string[]; readonly message: string }[];
}>('theme-colours');

const FACTS = defineCacheKind<{ readonly facts?: FontFacts }>('theme-font');

const list = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;
