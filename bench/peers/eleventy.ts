import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportPages } from '../corpus/export-pages.ts';
import { CORPUS_PAGES, type Corpus, NEWEST_PAGES } from '../corpus/open-corpus.ts';
import type { Contender } from '../measure/measure-in-turn.ts';
import { runProcess } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { expectHtmlFiles } from './expect-html-files.ts';
import type { Peer } from './peer.ts';

/** Exact versions, so that figures can be compared. Eleventy 3.1.8 asks for a package version that registries lack. */
const PACKAGES = ['@11ty/eleventy@3.1.7', 'markdown-it@15.0.3', '@shikijs/markdown-it@4.6.0', 'shiki@4.6.0'];

/** Only the grammars that the corpus uses: all of them, the default of the Shiki plug-in, would start more slowly. */
const CONFIGURATION = `import markdownIt from 'markdown-it';
import shiki from '@shikijs/markdown-it';

export default async function (config) {
  const markdown = markdownIt({ html: true, linkify: true });
  markdown.use(await shiki({
    themes: { light: 'github-light', dark: 'github-dark' },
    langs: ['bash', 'css', 'diff', 'html', 'js', 'json', 'md', 'nginx', 'sh', 'ts', 'tsx', 'vue', 'vue-html', 'yaml'],
    langAlias: { 'js-vue': 'js' },
    fallbackLanguage: 'text',
  }));
  config.setLibrary('md', markdown);
  config.addPassthroughCopy({ static: '/' });
  config.addFilter('section', (url) => url.split('/').slice(1, 3).join('/'));
  config.addCollection('sections', (api) => {
    const sections = {};
    for (const page of api.getAll()) (sections[page.url.split('/').slice(1, 3).join('/')] ??= []).push(page);
    return sections;
  });
  for (const name of ['home', 'page', 'doc']) config.addLayoutAlias(name, 'page.njk');
  return { dir: { input: 'content', includes: '../layouts', output: 'public' }, markdownTemplateEngine: false };
}
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ title or page.fileSlug }} · Docs</title>
<link rel="stylesheet" href="/site.css">
</head>
<body>
<header><a href="/">Docs</a></header>
<nav class="sidebar"><ul>
{% for item in collections.sections[page.url | section] %}<li><a href="{{ item.url }}">{{ item.data.title or item.fileSlug }}</a></li>
{% endfor %}</ul></nav>
<main><article>{{ content | safe }}</article></main>
</body>
</html>
`;

/** Installs Eleventy with markdown-it and Shiki (a light and a dark theme) and gives it a theme like Hugo's. */
export async function openEleventy(corpus: Corpus, folder: string): Promise<Peer> {
  const home = join(folder, 'eleventy');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private": true, "type": "module"}\n');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runProcess('npm', ['install', ...quiet, ...PACKAGES], { cwd: home });
  const manifest = readFileSync(join(home, 'node_modules/@11ty/eleventy/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const output = (place: string) => join(place, 'eleventy', 'public');
  const create = (place: string, tags: readonly string[], pages: number): Contender => {
    const site = join(place, 'eleventy');
    if (!existsSync(site)) layOut(corpus, { site, tags, modules: join(home, 'node_modules') });
    return {
      name: `Eleventy ${version}`,
      prepare: () => setAside(output(place)),
      run: async () => {
        const run = await runProcess(process.execPath, ['node_modules/@11ty/eleventy/cmd.cjs', '--quiet'], {
          cwd: site,
        });
        expectHtmlFiles(output(place), pages);
        return run;
      },
    };
  };
  return {
    version,
    output,
    all: (place) => create(place, corpus.tags, CORPUS_PAGES),
    newest: (place) => create(place, [corpus.newestTag], NEWEST_PAGES),
  };
}

function layOut(
  corpus: Corpus,
  { site, tags, modules }: { readonly site: string; readonly tags: readonly string[]; readonly modules: string },
): void {
  const files: Readonly<Record<string, string>> = {
    'package.json': '{"private": true, "type": "module"}\n',
    'eleventy.config.js': CONFIGURATION,
    'layouts/page.njk': PAGE,
    'static/site.css': 'body { font-family: sans-serif }\n',
    'content/content.json': '{"layout": "page.njk"}\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), content);
  }
  symlinkSync(modules, join(site, 'node_modules'));
  exportPages(corpus, { tags, folder: join(site, 'content') });
}
