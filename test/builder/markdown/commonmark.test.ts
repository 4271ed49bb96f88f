import { createRequire } from 'node:module';
import test from 'ava';
import { renderPage } from './render-page.ts';

interface Example {
  readonly markdown: string;
  readonly html: string;
  readonly number: number;
}

const { tests: examples } = createRequire(import.meta.url)('commonmark-spec') as { tests: readonly Example[] };

/** Examples whose result is another one on purpose, by the reason. */
const exceptions: Readonly<Record<string, readonly number[]>> = {
  'raw elements end where the Markdown around them does': [
    148, 150, 155, 173, 174, 175, 184, 187, 201, 476, 477, 491, 494, 524, 536, 613,
  ],
  'a closing tag with nothing to close is left out': [151, 165, 623],
  'a tag without an end is shown, it would swallow the page': [156, 157, 158],
  'a tag with a capital letter is a component of another generator': [163],
  'a dotted name that is never closed is a word to fill in; alone on a line it has no paragraph': [610],
  'self-closing elements are written out': [614, 615, 616, 617],
  'addresses in running text are links (GFM)': [602, 608, 611, 612],
  'addresses in raw HTML are slots, compared here percent-encoded': [21, 31, 344, 630, 631, 642, 643],
};
const excepted = new Set(Object.values(exceptions).flat());

/** Takes away what this renderer adds to every page, and differences that mean nothing in HTML. */
function normalize(html: string): string {
  return html
    .replace(/<div class="code-block"(?: data-language="[^"]*")?><pre tabindex="0">/g, '<pre>')
    .replace(/<\/pre><\/div>/g, '</pre>')
    .replace(/<code class="language-[^"]*">/g, '<code>')
    .replace(/\n*<\/code><\/pre>/g, '</code></pre>')
    .replace(/ <a class="anchor" [^>]*>#<\/a>/g, '')
    .replace(/<span id="[^"]*"><\/span>/g, '')
    .replace(/<(h[1-6]) id="[^"]*" tabindex="-1">/g, '<$1>')
    .replace(/<p class="pictures">/g, '<p>')
    .replace(/ rel="noreferrer"/g, '')
    .replace(/ decoding="async" loading="lazy"/g, '')
    .replace(/<blockquote>\n<\/blockquote>/g, '<blockquote></blockquote>')
    .replace(/ ?\/>/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/\{([^{}]*)\}/g, (_, url: string) => encodeURI(decodeURI(url)))
    .trim();
}

for (const { markdown, html, number } of examples) {
  const expected = normalize(html.replaceAll('→', '\t'));
  const render = () => normalize(renderPage(markdown.replaceAll('→', '\t'), {}, { emoji: false }).html);
  if (excepted.has(number))
    test(`CommonMark example ${number} is an exception still`, (t) => t.not(render(), expected));
  else test(`CommonMark example ${number}`, (t) => t.is(render(), expected));
}
