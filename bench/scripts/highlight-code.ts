import { readFileSync } from 'node:fs';
import { createCssVariablesTheme, createHighlighter as createShiki } from 'shiki';
import { createHighlighter } from '../../builder/markdown/code/highlight.ts';
import type { Block } from '../corpus/distinct-pages.ts';

/**
 * Runs as a separate process: highlights the blocks in a JSON file on one thread, twice, and prints the time of both
 * passes, ms. The first one loads and compiles the grammars.
 */
const [, , file, way] = process.argv;
const blocks = JSON.parse(readFileSync(file!, 'utf8')) as readonly Block[];
const start = performance.now();
const highlight = await createWay(way!);
const passes: number[] = [];
for (let pass = 0, since = start; pass < 2; pass++, since = performance.now()) {
  for (const block of blocks) await highlight(block);
  passes.push(performance.now() - since);
}
console.log(JSON.stringify({ ms: passes[0], again: passes[1] }));

/** `dual`: Shiki with a light and a dark theme; `variables`: with one theme of CSS variables; `own`: as docbuild does. */
async function createWay(name: string): Promise<(block: Block) => unknown> {
  if (name === 'own') {
    const { highlight } = await createHighlighter();
    return highlight;
  }
  const isDual = name === 'dual';
  const variables = createCssVariablesTheme({ name: 'variables' });
  const themes = isDual ? ['github-light', 'github-dark'] : [variables];
  const langs = ['css', 'diff', 'html', 'js', 'json', 'md', 'nginx', 'sh', 'ts', 'tsx', 'vue', 'vue-html', 'yaml'];
  const shiki = await createShiki({ themes, langs, langAlias: { 'js-vue': 'js' } });
  const known = new Set([...shiki.getLoadedLanguages(), 'js-vue']);
  const options = isDual ? { themes: { light: 'github-light', dark: 'github-dark' } } : { theme: 'variables' };
  return ({ language, text }) => shiki.codeToHtml(text, { ...options, lang: known.has(language) ? language : 'text' });
}
