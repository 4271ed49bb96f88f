import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportPages } from '../corpus/export-pages.ts';
import { CORPUS_PAGES, type Corpus, NEWEST_PAGES } from '../corpus/open-corpus.ts';
import type { Contender } from '../measure/measure-in-turn.ts';
import { runProcess } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { expectHtmlFiles } from './expect-html-files.ts';
import type { Peer } from './peer.ts';

const CONFIGURATION = `baseURL = "https://example.test/"
title = "Docs"
disableKinds = ["taxonomy", "term", "RSS", "sitemap"]
[markup.goldmark.renderer]
unsafe = true
[markup.highlight]
noClasses = false
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ .Title | default (path.Base .RelPermalink) }} · {{ .Site.Title }}</title>
<link rel="stylesheet" href="/site.css">
</head>
<body>
<header><a href="/">{{ .Site.Title }}</a></header>
{{ $parts := split (strings.TrimPrefix "/" .RelPermalink) "/" -}}
{{ if gt (len $parts) 2 -}}
{{ $section := printf "%s/%s" (index $parts 0) (index $parts 1) -}}
{{ partialCached "sidebar.html" $section $section }}
{{- end }}
<main><article>{{ .Content }}</article></main>
</body>
</html>
`;

const SIDEBAR = `<nav class="sidebar"><ul>
{{ with site.GetPage (printf "/%s" .) }}{{ range .RegularPagesRecursive -}}
<li><a href="{{ .RelPermalink }}">{{ .Title | default .File.ContentBaseName }}</a></li>
{{ end }}{{ end -}}
</ul></nav>
`;

/** Opens Hugo with a theme of sidebar, title and content; Chroma writes classes, goldmark lets HTML through. */
export function openHugo(corpus: Corpus): Peer {
  const version = /v([\d.]+)/.exec(execFileSync('hugo', ['version'], { encoding: 'utf8' }))?.[1] ?? 'unknown';
  const output = (folder: string) => join(folder, 'hugo', 'public');
  const create = (folder: string, tags: readonly string[], pages: number): Contender => {
    const site = join(folder, 'hugo');
    if (!existsSync(site)) layOut(corpus, site, tags);
    const folders = [output(folder), join(site, 'resources'), join(site, 'cache')];
    return {
      name: `Hugo ${version}`,
      prepare: () => setAside(...folders),
      run: async () => {
        const args = ['--source', site, '--destination', output(folder), '--cacheDir', join(site, 'cache')];
        const run = await runProcess('hugo', args);
        expectHtmlFiles(output(folder), pages);
        return run;
      },
    };
  };
  return {
    version,
    output,
    all: (folder) => create(folder, corpus.tags, CORPUS_PAGES),
    newest: (folder) => create(folder, [corpus.newestTag], NEWEST_PAGES),
  };
}

function layOut(corpus: Corpus, site: string, tags: readonly string[]): void {
  const files: Readonly<Record<string, string>> = {
    'hugo.toml': CONFIGURATION,
    'layouts/_default/single.html': PAGE,
    'layouts/_default/list.html': PAGE,
    'layouts/partials/sidebar.html': SIDEBAR,
    'static/site.css': 'body { font-family: sans-serif }\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), content);
  }
  // To Hugo, pages beside an index.md are files of that page; _index.md is the page of a folder.
  const rename = (path: string) => path.replace(/(^|\/)index\.md$/, '$1_index.md');
  // Hugo takes a page that begins with a tag for HTML and refuses it, unless front matter stands before.
  const edit = (text: string) => (text.startsWith('<') ? `---\n---\n${text}` : text);
  exportPages(corpus, { tags, folder: join(site, 'content'), rename, edit });
}
