import { posix } from 'node:path';
import { append } from '../../../lib/append.ts';
import type { IncludeReference } from './directive.ts';
import { findInsertions, findSnippetBlocks, parseInsertionLine, parseSnippet } from './python-includes.ts';

/** Limits of includes for one page, direct and nested ones. */
export const INCLUDE_LIMITS = {
  /** Nesting of files. */
  depth: 10,
  /** Different files; those in code blocks, where they are not included, may count. */
  files: 200,
  /** Includes, those that fail among them; a file that is included twice counts twice. */
  includes: 1_000,
  characters: 5_000_000,
} as const;

const MARKER =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(<<<.*|@\[code.*|\[.*:include.*|<!--\s*@include:.*|@include[ \t].*|-+8<-+[ \t].*|!!!.*!!![ \t]*)$/gm;

/** Those of mdBook and of other generators' elements. */
const TEXT_MARKER = /\{\{[ \t]*#(?:rustdoc_)?(?:include|playground|playpen)[ \t]+([^\s{}][^{}\n]{0,499})\}\}/g;
const ELEMENT_MARKER =
  /\{(?:\{[<%]|%)-?\s{0,50}(?:include(?:-markdown)?\s{1,50}(?:"([^"\n{}%]{1,500})"|'([^'\n{}%]{1,500})'|([^"'\s{}%]{1,500}\.mdx?)\b)|readfile[ \t]+(?:file=)?["']?([^"'\s{}%]{1,500}))/g;
const CODE_MARKER = /\{%-?[ \t]*include_code[ \t]+([^\s{}%][^{}%\n]{0,499})%\}/g;
const IMPORT_MARKER = /^import[ \t]+[\w$]+[ \t]+from[ \t]+["']([^"'\n]{1,500}\.mdx?)["']/gm;
const DIRECTIVE_MARKER =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3,}|~{3,}|:{3,})\{(?:literal)?include\}[ \t]+(\S.{0,499})$/gim;

const HTML_MARKER = /\{%-?\s{0,50}include\s{1,50}["']?([\w./-]{1,200}\.html?)\b/g;
/** Tags that may name values of a Jekyll site, or variables of a book of GitBook. */
const SITE_MARKER = /\{[{%]([^{}]{0,500}?\b(?:site|book)\.[^{}]{0,500})/g;
const MAX_DATA = 100;

/**
 * Returns the files from which Jekyll takes `site.data.a.b` and other values of the site, and GitBook `book.a`. Those of `site.posts` and the like come from
 * no file.
 */
function findSiteFiles(text: string): readonly IncludeReference[] {
  const paths = new Set<string>();
  for (const [, body] of text.matchAll(SITE_MARKER)) {
    for (const [, file, inner] of body!.matchAll(/\bsite\.data\.([\w-]{1,100})(?:\.([\w-]{1,100}))?/g)) {
      for (const ending of ['yml', 'yaml', 'json', 'csv']) {
        paths.add(`/_data/${file}.${ending}`);
        if (inner !== undefined) paths.add(`/_data/${file}/${inner}.${ending}`);
      }
    }
    if (/\bsite\.(?!(?:data|baseurl|url|posts|pages|time)\b)[a-z_]/.test(body!)) paths.add('/_config.yml');
    if (/\bbook\.[A-Za-z_]/.test(body!)) paths.add('/book.json');
    if (paths.size >= MAX_DATA) break;
  }
  return [...paths].map((path) => ({ kind: 'text', path, region: undefined, settings: undefined, title: undefined }));
}

/**
 * Returns the possible includes of a Markdown text, quickly and with false positives: those in code blocks, which the
 * renderer ignores, are found, too.
 */
export function findIncludes(text: string): readonly IncludeReference[] {
  const references: IncludeReference[] = [];
  if (/<<<|@include|8<-|@\[code|!!!|:include/.test(text)) {
    for (const [, line] of text.matchAll(MARKER)) add(parseIncludeLine(line!));
    for (const reference of findSnippetBlocks(text)) add(reference);
  }
  if (/\{[!*]/.test(text)) for (const reference of findInsertions(text)) add(reference);
  if (/\{\{[ \t]*#/.test(text)) for (const [, path] of text.matchAll(TEXT_MARKER)) add(parseTextInclude(path!));
  if (/\{[{%]/.test(text)) {
    for (const [, ...paths] of text.matchAll(ELEMENT_MARKER))
      append(references, listElementIncludes(paths.find((path) => path !== undefined)!));
  }
  if (text.includes('site.') || text.includes('book.')) append(references, findSiteFiles(text));
  if (/include\s/.test(text))
    for (const [, path] of text.matchAll(HTML_MARKER))
      add({ ...toMarkdownInclude(`/_includes/${path}`), kind: 'text' });
  if (text.includes('include_code')) for (const [, body] of text.matchAll(CODE_MARKER)) add(parseIncludeCode(body!));
  if (text.includes('import')) for (const [, path] of text.matchAll(IMPORT_MARKER)) add(toMarkdownInclude(path!));
  if (/include\}/i.test(text))
    for (const [, path] of text.matchAll(DIRECTIVE_MARKER)) add(toMarkdownInclude(path!.trim()));
  return references;

  function add(reference: IncludeReference | undefined): void {
    if (reference !== undefined) references.push(reference);
  }
}

/**
 * Returns the files that a shortcode or a statement may mean: Hugo looks beside the page, then from the source folder;
 * Jekyll has a folder for includes.
 */
export function listElementIncludes(path: string): readonly IncludeReference[] {
  const isPlaced = /^\.{0,2}\//.test(path);
  const paths = isPlaced ? [path] : [`./${path}`, `/${path}`, `/_includes/${path}`];
  return paths.map(toMarkdownInclude);
}

/**
 * Reads a line (without indentation) as an include directive; returns undefined for any other: `<<< @/file.js#region{2 ts} [title]`,
 * `<!--@include: ./part.md#region{3,10}-->`, `@include part.md`, `--8<-- "file:region"`, `--8<-- "file:3:10"`, `!!!include(part.md)!!!`,
 * `[title](part.md ':include')`, `{!part.md!}`, `{* file.py ln[2:4] *}`.
 */
export function parseIncludeLine(line: string): IncludeReference | undefined {
  if (line.length > 1_000) return undefined;
  const text = line.trim();
  // VuePress: `@[code{1,3} js](./file.js)`.
  const vuepress = /^@\[code(?:\{([\d,\s-]*)\})?(?:[ \t]+([\w+#-]+)(?![\w+#-]))?[^\]]*\]\(([^()\s]+)\)$/.exec(text);
  if (vuepress) {
    const settings = [vuepress[1], vuepress[2]].filter(Boolean).join(' ') || undefined;
    return { kind: 'code', path: vuepress[3]!, region: undefined, settings, title: undefined };
  }
  // Svelte's documentation.
  const bare = /^@include[ \t]+([^\s"'<>#{}]+\.(?:md|markdown))$/.exec(text)?.[1];
  if (bare !== undefined) return toMarkdownInclude(bare);
  // markdown-it-include, which VuePress sites use: from the source folder.
  const shouted = /^!{3}[ \t]*include[ \t]*\(([^()\n]+)\)[ \t]*!{3}$/i.exec(text)?.[1]?.trim();
  if (shouted !== undefined) {
    return { kind: 'snippet', path: shouted, region: undefined, settings: undefined, title: undefined };
  }
  if (text.startsWith('{')) return parseInsertionLine(text);
  if (text.startsWith('[')) return parseEmbedding(text);
  if (text.startsWith('<<<')) return parseCode(text.slice(3).trim());
  if (text.startsWith('<!--')) {
    const inner = /^<!--\s*@include:(.*)-->$/s.exec(text)?.[1]?.trim();
    return !inner ? undefined : { kind: 'markdown', ...splitPath(inner), title: undefined };
  }
  const quoted = /^-+8<-+[ \t]+(?:"([^"]+)"|'([^']+)')$/.exec(text);
  return quoted ? parseSnippet((quoted[1] ?? quoted[2])!.trim()) : undefined;
}

/**
 * Parses the text after mdBook's `{{#include `: `file.rs`, `file.rs:anchor`, `file.rs:2` (that line), `file.rs:2:` (from there
 * on), `file.rs:2:10`, `file.rs::10`. What is not a number names an anchor: `file.rs:1st`.
 */
export function parseTextInclude(argument: string): IncludeReference | undefined {
  const text = argument.trim().split(/\s/, 1)[0]!;
  if (text === '' || text.length > 500 || isUrl(text)) return undefined;
  const { path, region, first, last = first } = splitPortion(text);
  const end = /^\d*$/.test(last) ? last : '';
  const settings = first === '' && end === '' ? undefined : `${first},${end}`;
  return { kind: 'text', path, region, settings, title: undefined };
}

/** Parses the inside of mdBook's `{{#include file}}`, and of `{{#playground file}}`, which shows code. */
export function parseTextTag(body: string): IncludeReference | undefined {
  const match = /^#(rustdoc_include|include|playground|playpen)\s+(\S[^{}]*)$/.exec(body);
  const reference = match ? parseTextInclude(match[2]!) : undefined;
  return reference && match![1]!.startsWith('play') ? { ...reference, kind: 'code' } : reference;
}

/** Parses the arguments of Hexo's `{% include_code Title lang:js path/to/file %}`; the files are below `downloads/code/`. */
export function parseIncludeCode(body: string): IncludeReference | undefined {
  const words = body.trim().split(/\s+/);
  const names = words.filter((word) => !/^(?:lang|from|to):/.test(word));
  const path = names.pop();
  if (path === undefined || path === '' || body.length > 500) return undefined;
  const language = words.find((word) => word.startsWith('lang:'))?.slice('lang:'.length);
  return {
    ...({ kind: 'code', path: `/downloads/code/${path.replace(/^\/+/, '')}`, region: undefined } as const),
    settings: language,
    title: names.join(' ') || undefined,
  };
}

/** Creates an include of Markdown from a path alone, as in components and shortcodes. */
export function toMarkdownInclude(path: string): IncludeReference {
  const inProject = path.replace(/^@site\//, '/../');
  return { kind: 'markdown', path: inProject, region: undefined, settings: undefined, title: undefined };
}

/** Files that Docsify shows in frames and players: here they are links. */
const PLAYED = /\.(?:html?|mp3|mp4|ogg|webm|wav)$/i;

/** Reads Docsify's `[title](file ':include :type=code js :fragment=name')`. */
function parseEmbedding(text: string): IncludeReference | undefined {
  const match = /^\[[^[\]]*\]\(<?([^()\s<>]+)>?[ \t]+(['"]):include([^'"]*)\2\)$/.exec(text);
  if (!match || /^[a-z]+:/i.test(match[1]!)) return undefined;
  const path = match[1]!;
  const type = /:type=([\w-]+)/.exec(match[3]!)?.[1];
  const isPage = /\.(?:md|markdown)$/i.test(path);
  if (type === undefined ? PLAYED.test(path) : !['code', 'markdown'].includes(type)) return undefined;
  const kind = type === 'markdown' || (type === undefined && isPage) ? 'markdown' : 'code';
  const language = /:type=code[ \t]+([\w+#-]+)/.exec(match[3]!)?.[1];
  return { kind, path, region: /:fragment=([\w-]+)/.exec(match[3]!)?.[1], settings: language, title: undefined };
}

function parseCode(text: string): IncludeReference | undefined {
  const titled = /^(.*)\[([^[\]]*)\]$/s.exec(text);
  const { path, region, settings } = splitPath(titled ? titled[1]!.trimEnd() : text);
  if (!/^(?:~?@[\w-]*|\.{0,2})\/|^[\w.-]+[./]/.test(path)) return undefined;
  return { kind: 'code', path, region, settings, title: titled?.[2] || undefined };
}

function splitPath(text: string): Pick<IncludeReference, 'path' | 'region' | 'settings'> {
  const braced = /^(.*)\{([^{}]*)\}$/s.exec(text);
  const rest = braced ? braced[1]!.trimEnd() : text;
  const hash = rest.indexOf('#');
  const region = hash < 0 ? undefined : rest.slice(hash + 1) || undefined;
  return { path: hash < 0 ? rest : rest.slice(0, hash), region, settings: braced?.[2] };
}

function isUrl(text: string): boolean {
  return /^[a-z]+:\/\//i.test(text);
}

/** Splits `file:portion`; `last` is undefined where no second colon stands, and a range without numbers is all of the file. */
function splitPortion(text: string): {
  readonly path: string;
  readonly region: string | undefined;
  readonly first: string;
  readonly last: string | undefined;
} {
  const colon = text.indexOf(':', 1);
  if (colon < 0) return { path: text, region: undefined, first: '', last: undefined };
  const path = text.slice(0, colon);
  const [first = '', last] = text.slice(colon + 1).split(':');
  return /^\d*$/.test(first)
    ? { path, region: undefined, first, last }
    : { path, region: first, first: '', last: undefined };
}

/** The location of an include; paths from the repository's root. */
export interface IncludePlace {
  readonly pagePath: string;
  /** Folder that `@/` and a leading `/` mean; '' = the root. */
  readonly sourceDir: string;
  /** Folders from which the generator includes files, with a final `/`. */
  readonly includeFolders?: readonly string[] | undefined;
  /** Names of folders at the start of paths, `@alias/`, the longest first, with their folders. */
  readonly aliases?: readonly (readonly [prefix: string, folder: string])[] | undefined;
}

/**
 * Returns the paths, from the repository's root, of the files an include may mean, the likeliest first; none when that
 * is outside the repository. Paths are relative to the file that contains them; those of `--8<--` to the folder in which
 * MkDocs runs: the root, or the folder of its configuration, which contains the page.
 */
export function listIncludePaths(
  reference: IncludeReference,
  { pagePath, sourceDir, includeFolders = [], aliases = [] }: IncludePlace,
): readonly string[] {
  const { path, kind } = reference;
  if (path.includes('\\') || path.includes('\0')) return [];
  const named = aliases.flatMap(([prefix, folder]) =>
    path.startsWith(prefix) ? [posix.normalize(`./${folder}${path.slice(prefix.length)}`)] : [],
  );
  const inSource = /^@?\/(.*)$/s.exec(path)?.[1];
  const source = posix.join('/', sourceDir, '.');
  const isFromRoot = kind === 'snippet' && inSource === undefined && !/^\.{1,2}\//.test(path);
  const configured = includeFolders.map((folder) => posix.join('/', folder, '.'));
  const folders = reference.isFromBase
    ? listBases(configured, listFoldersOf(pagePath))
    : isFromRoot
      ? [...configured, '/', posix.dirname(source), source, ...listFoldersOf(pagePath)]
      : inSource === undefined
        ? [posix.join('/', posix.dirname(pagePath))]
        : [source, ...(posix.normalize(`./${inSource}`).startsWith('..') ? [] : listTopFolder(pagePath, source))];
  const paths = folders.map((folder) =>
    posix.normalize(`${folder.slice(1)}/./${inSource ?? path}`.replace(/^\//, './')),
  );
  return [...new Set([...named, ...paths])].filter(isInside);
}

/** Returns the folder directly below the source folder that a page is in: Hugo's paths count from the folder of the language. */
function listTopFolder(pagePath: string, source: string): readonly string[] {
  const above = source === '/' ? '/' : `${source}/`;
  const [, top] = `/${pagePath}`.startsWith(above) ? (/^([^/]+)\//.exec(`/${pagePath}`.slice(above.length)) ?? []) : [];
  return top === undefined ? [] : [above + top];
}

/** Returns the folders that contain the page first, from the inside out: each language may be a site of its own. */
function listBases(configured: readonly string[], ofPage: readonly string[]): readonly string[] {
  const own = configured.filter((folder) => folder === '/' || ofPage.includes(folder));
  return [...own, ...ofPage.toReversed(), ...configured, '/'];
}

/** Returns the folders that contain a page, outermost first. */
function listFoldersOf(pagePath: string): readonly string[] {
  const parts = posix.dirname(pagePath).split('/').slice(0, 20);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

function isInside(path: string): boolean {
  return path !== '.' && path !== '..' && !path.startsWith('../') && !path.startsWith('/');
}
