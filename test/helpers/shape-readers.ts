import { BuildError } from '../../builder/build-error.ts';
import { readDataConfig, readTsconfigPaths } from '../../builder/config/config-values.ts';
import { type Generator, GENERATORS as NAMED, profileOf } from '../../builder/generators/generators.ts';
import { readCategory } from '../../builder/generators/shared/categories.ts';
import { readSummary } from '../../builder/generators/shared/summary.ts';
import { outlinePage } from '../../builder/history/page-outline.ts';
import { createRenderer } from '../../builder/markdown/create-renderer.ts';
import { describeDraft, fillCodeSlots } from '../../builder/markdown/draft.ts';
import { readSections } from '../../builder/markdown/draft-sections.ts';
import { fillMarkdown } from '../../builder/markdown/export/places.ts';
import { writeMarkdown } from '../../builder/markdown/export/write-markdown.ts';
import { openDocument } from '../../builder/markdown/html/open-document.ts';
import { findIncludes } from '../../builder/markdown/include/include-references.ts';
import { dependsOnGenerator } from '../../builder/markdown/page/dialect.ts';
import { findJsonStrings, findScriptImports } from '../../builder/markdown/raw-html/foreign-resources.ts';
import type { MarkdownOptions } from '../../builder/model.ts';
import { parseProjectFile } from '../../builder/plan/project-file.ts';
import { encodePageEntry } from '../../builder/search/search-segment.ts';
import { readContentsLinks } from '../../builder/source/navigation/contents.ts';
import { readDrawing } from '../../builder/source/pages/landing-page.ts';
import { readPageMeta } from '../../builder/source/pages/page-meta.ts';
import { describeSite } from '../../builder/source/sites/describe-site.ts';
import { decodeText } from '../../builder/source/text/decode-text.ts';
import { locateFrontMatter, splitFrontMatter } from '../../builder/source/text/front-matter.ts';
import { countTerms, eachWord } from '../../lib/search-terms.ts';
import type { Reader } from './shapes.ts';
import { MARKDOWN, MARKUP, PLAIN, SCRIPT, TOML, YAML } from './signs.ts';

const GENERATORS: readonly (Generator | undefined)[] = [undefined, ...NAMED];

const OPTIONS: MarkdownOptions = { html: 'raw', emoji: true, math: true, mermaid: true, allowedHosts: [] };

/** Returns whether a text was refused, with its line; throws what no person may be told. */
async function tell(read: () => unknown): Promise<boolean> {
  try {
    await read();
    return false;
  } catch (error) {
    const isForeseen = error instanceof BuildError && /^page-(?:limit|too-slow)$/.test(error.code);
    if (!isForeseen) throw error;
    if (!(error.location.line! > 0)) throw new Error(`The problem has no line: ${error.message}`);
    return true;
  }
}

async function readPage(text: string, choice: number): Promise<void> {
  const generator = GENERATORS[choice % GENERATORS.length];
  const isSafe = (choice >> 4) % 3 === 0;
  const mdx = (choice >> 4) % 5 === 1;
  findIncludes(text);
  dependsOnGenerator(text);
  readContentsLinks(text);
  const { body, firstLine, data } = await splitFrontMatter(text);
  readPageMeta(data, generator);
  const draft = createRenderer({ ...OPTIONS, html: isSafe ? 'safe' : 'raw' }).render({
    text: body,
    firstLine,
    generator,
    mdx,
    frontMatter: data,
    title: 'Title',
    hasLooseLevels: choice % 2 === 0,
    pagePath: 'docs/b.md',
    sourceDir: 'docs/',
    hasReferences: choice % 7 === 0,
    // A page may include a thousand files, whose text counts as its own does.
    includes: new Map([['docs/a.md', text.slice(0, 250)]]),
  });
  fillCodeSlots(draft, () => undefined);
  const { slots } = describeDraft(draft);
  fillMarkdown(writeMarkdown(draft, {}), { urls: slots.map(({ url }) => url), title: 'Title' });
  const sections = readSections(draft);
  encodePageEntry(sections);
  outlinePage(sections);
  for (const { heading, text: said } of sections) for (const one of [heading, said]) countTerms(one);
}

async function readNavigation(text: string, choice: number): Promise<void> {
  const generator = NAMED[choice % NAMED.length]!;
  const site = { home: '', content: 'docs/', languageFolders: new Map() };
  const format = profileOf(generator).navigation;
  const first = format?.listFiles(site)[0];
  if (format && first !== undefined)
    await format.read(first, site, async (path) => (path === first ? text : undefined));
  await describeSite(generator, { home: '', configName: 'config.js', config: text });
}

async function readFrontMatter(text: string): Promise<void> {
  const { data } = await splitFrontMatter(text);
  const lineOf = await locateFrontMatter(text);
  for (const generator of [undefined, 'hugo', 'jekyll'] as const) readPageMeta(data, generator, lineOf);
}

async function readSettings(name: string, text: string): Promise<void> {
  const config = await readDataConfig(name, text);
  if (config.problem) return;
  for (const key of config.keys()) config.placeOf(key);
}

/** All that reads texts of authors. */
export const SHAPE_READERS: readonly Reader[] = [
  { name: 'page', signs: MARKDOWN, read: (text, choice) => tell(() => readPage(text, choice)) },
  { name: 'front matter', signs: YAML, read: (text) => tell(() => readFrontMatter(`---\n${text}\n---\n`)) },
  { name: 'TOML', signs: TOML, read: (text) => tell(() => readFrontMatter(`+++\n${text}\n+++\n`)) },
  { name: 'project file', signs: YAML, read: (text) => tell(() => parseProjectFile(text)) },
  {
    name: 'configuration in YAML',
    signs: YAML,
    read: (text, choice) =>
      tell(async () => {
        await readSettings('mkdocs.yml', text);
        await readCategory(text);
        const generator = (['mkdocs', 'jekyll', 'hexo'] as const)[choice % 3]!;
        await describeSite(generator, { home: '', configName: 'a.yml', config: text });
      }),
  },
  {
    name: 'configuration in TOML',
    signs: TOML,
    read: (text) =>
      tell(async () => {
        await readSettings('book.toml', text);
      }),
  },
  {
    name: 'configuration in JSON',
    signs: SCRIPT,
    read: (text) =>
      tell(async () => {
        await readSettings('a.json', text);
        await readTsconfigPaths(text);
      }),
  },
  { name: 'navigation', signs: SCRIPT, read: (text, choice) => tell(() => readNavigation(text, choice)) },
  { name: 'summary', signs: MARKDOWN, read: (text) => tell(() => readSummary(text, 'docs/SUMMARY.md')) },
  {
    name: 'navigation in YAML or Markdown',
    signs: [...YAML, ...MARKDOWN],
    read: (text, choice) => tell(() => readNavigation(text, choice)),
  },
  {
    name: 'markup',
    signs: MARKUP,
    read: (text, choice) =>
      tell(() => {
        openDocument(text, (['html', 'svg', 'css'] as const)[choice % 3]!);
        readDrawing(text);
        findScriptImports(text);
        findJsonStrings(text);
      }),
  },
  {
    name: 'search terms',
    signs: PLAIN,
    read: (text) =>
      tell(() => {
        countTerms(text);
        eachWord(text, () => {});
      }),
  },
  {
    name: 'encoding',
    signs: [...PLAIN, '\xff', '\x80', '\xe4', '\xc3', '\u4e00'],
    read: (text, choice) =>
      tell(() => decodeText(Buffer.from(text, (['latin1', 'utf16le', 'utf8'] as const)[choice % 3]!))),
  },
];
