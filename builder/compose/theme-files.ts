import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { packageFile } from '../../lib/package-file.ts';
import type { PageExtra } from '../model.ts';
import { findMessageLanguage, findMessages } from './messages.ts';

/** A file that pages refer to through `PageModel.assets`. Its name changes with its bytes, so it may be cached for ever. */
export interface ThemeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The theme's stylesheet and script, as bundled by build.js. */
export interface ThemeFiles {
  readonly script: ThemeFile;
  readonly button: ThemeFile;
  /** Loaded when a reader searches. */
  readonly search: ThemeFile;
  /** The script and the stylesheet of boards of translations. */
  readonly board: readonly [script: ThemeFile, style: ThemeFile];
  /** Returns what is loaded when a reader compares versions: a script with words of a language, and the one that it imports. */
  getCompare(tag: string): readonly [ThemeFile, ThemeFile];
  /** Loaded when a reader asks for the history of a page, or chooses versions to compare. */
  readonly history: ThemeFile;
  /** Shown in the browser's tab for sites without a logo. */
  readonly icon: ThemeFile;
  /** Returns the files of an extra; pages that need it refer to the first. */
  getExtra(extra: PageExtra): readonly [ThemeFile, ...ThemeFile[]];
  /** Returns the stylesheet, with the rules of a project behind docbuild's own. */
  getStyle(rules?: string): ThemeFile;
}

const iconPath = packageFile('templates/site/icon.svg');
const folder = packageFile('dist/client/');

/** Reads the theme's own files. Throws when the package has not been built. */
export function readThemeFiles(): ThemeFiles {
  const css = readFileSync(new URL('site.css', folder), 'utf8');
  let usual: ThemeFile | undefined;
  const extras: { [Extra in PageExtra]?: readonly [ThemeFile, ...ThemeFile[]] } = {};
  const compare = nameByContent('compare', '.js', readFileSync(new URL('compare.js', folder)));
  const compareWords = new Map<string, ThemeFile>();
  return {
    script: nameByContent('site', '.js', readFileSync(new URL('site.js', folder))),
    button: nameByContent('docbuild', '.js', readFileSync(new URL('docbuild.js', folder))),
    search: nameByContent('search', '.js', readFileSync(new URL('search.js', folder))),
    board: [
      nameByContent('translations', '.js', readFileSync(new URL('translations.js', folder))),
      nameByContent('translations', '.css', readFileSync(new URL('translations.css', folder))),
    ],
    getCompare(tag) {
      const language = findMessageLanguage(tag);
      let file = compareWords.get(language);
      if (file === undefined) {
        const { compare: words, switches, copied, search } = findMessages(language);
        const given = JSON.stringify({ ...words, absent: switches.missing, copied, close: search.close });
        const text = `import{openComparison}from"./${compare.name}";export const open=()=>openComparison(${given});\n`;
        file = nameByContent(`compare-${language.toLowerCase()}`, '.js', Buffer.from(text));
        compareWords.set(language, file);
      }
      return [file, compare];
    },
    history: nameByContent('history', '.js', readFileSync(new URL('history.js', folder))),
    icon: nameByContent('icon', '.svg', readFileSync(iconPath)),
    getExtra: (extra) => (extras[extra] ??= READ_EXTRA[extra]()),
    getStyle(rules = '') {
      if (rules !== '') return nameByContent('site', '.css', Buffer.from(css + rules));
      usual ??= nameByContent('site', '.css', Buffer.from(css));
      return usual;
    },
  };
}

/** Reads the files of an extra as they are published, the one first that pages refer to. */
const READ_EXTRA: Readonly<Record<PageExtra, () => readonly [ThemeFile, ...ThemeFile[]]>> = {
  /** A stylesheet, and the fonts that it names. */
  formulas() {
    const place = new URL('formulas/', folder);
    let css = readFileSync(new URL('formulas.css', place), 'utf8');
    const fonts = readdirSync(place).filter((name) => name.endsWith('.woff2'));
    const files = fonts.map((name) => {
      const bytes = readFileSync(new URL(name, place));
      const file = nameByContent(basename(name, '.woff2').toLowerCase(), '.woff2', bytes);
      css = css.replaceAll(`./${name}`, `./${file.name}`);
      return file;
    });
    return [nameByContent('formulas', '.css', Buffer.from(css)), ...files];
  },
  /** A script, and its parts, which the bundler has named by their content. */
  diagrams() {
    const place = new URL('diagrams/', folder);
    const parts = readdirSync(new URL('diagrams/', place)).map((name) => `diagrams/${name}`);
    return [
      nameByContent('diagrams', '.js', readFileSync(new URL('diagrams.js', place))),
      ...parts.map((name) => ({ name, bytes: readFileSync(new URL(name, place)) })),
    ];
  },
};

export function nameByContent(stem: string, extension: string, bytes: Uint8Array): ThemeFile {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { name: `${stem}.${hash}${extension}`, bytes };
}

/** Returns the CSS in which the custom properties of docbuild's own look have their colours. */
export function readTokenStyles(): string {
  return ['colors', 'code']
    .map((name) => readFileSync(packageFile(`templates/site/css/${name}.css`), 'utf8'))
    .join('\n');
}
