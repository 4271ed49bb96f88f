import { type IncludeReference, parseIncludeLine, parseTextInclude, toMarkdownInclude } from './include-reference.ts';

const marker =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(<<<.*|@\[code.*|<!--\s*@include:.*|-+8<-+[ \t].*|!!!.*!!![ \t]*)$/gm;

/** mdBook's, and what other generators' elements take in. */
const textMarker = /\{\{#(?:rustdoc_)?(?:include|playground|playpen)[ \t]+([^{}\n]{1,500})\}\}/g;
const elementMarker =
  /\{(?:\{[<%]|%)-?[ \t]*(?:include[ \t]+["']?([^"'\s{}%]{1,500}\.mdx?)\b|readfile[ \t]+(?:file=)?["']?([^"'\s{}%]{1,500}))/g;
const importMarker = /^import[ \t]+[\w$]+[ \t]+from[ \t]+["']([^"'\n]{1,500}\.mdx?)["']/gm;

/**
 * Returns the includes a Markdown text may hold, fast and generously: one that stands in a code block, where the renderer
 * leaves it alone, is found, too.
 */
export function findIncludes(text: string): readonly IncludeReference[] {
  const references: IncludeReference[] = [];
  if (/<<<|@include|8<-|@\[code|!!!/.test(text)) {
    for (const [, line] of text.matchAll(marker)) add(parseIncludeLine(line!));
    for (const path of findSnippetBlocks(text)) add(parseIncludeLine(`--8<-- "${path}"`));
  }
  if (text.includes('{{#')) for (const [, path] of text.matchAll(textMarker)) add(parseTextInclude(path!));
  if (/\{[{%]/.test(text)) {
    for (const [, page, file] of text.matchAll(elementMarker)) references.push(...listElementIncludes((page ?? file)!));
  }
  if (text.includes('import')) for (const [, path] of text.matchAll(importMarker)) add(toMarkdownInclude(path!));
  return references;

  function add(reference: IncludeReference | undefined): void {
    if (reference !== undefined) references.push(reference);
  }
}

/**
 * Returns the files that a shortcode or a statement may mean: Hugo looks beside the page, then from the source folder on;
 * Jekyll has a folder for what is included.
 */
export function listElementIncludes(path: string): readonly IncludeReference[] {
  const isPlaced = /^\.{0,2}\//.test(path);
  const paths = isPlaced ? [path] : [`./${path}`, `/${path}`, `/_includes/${path}`];
  return paths.map(toMarkdownInclude);
}

/** The lines between two lines `--8<--` name files. */
export function findSnippetBlocks(text: string): readonly string[] {
  if (!text.includes('8<-')) return [];
  const paths: string[] = [];
  for (const [, lines] of text.matchAll(/^[ \t]*-+8<-+[ \t]*\n((?:(?![ \t]*-+8<-).*\n)*)[ \t]*-+8<-+[ \t]*$/gm)) {
    for (const line of lines!.split('\n')) if (line.trim() !== '') paths.push(line.trim());
  }
  return paths;
}
