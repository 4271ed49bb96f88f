import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { createComposer } from '../../builder/compose/create-composer.ts';
import type { ThemeModel } from '../../builder/compose/theme.ts';
import { parseLanguageTag } from '../../builder/language-tag.ts';
import { buildVersionIndex, type VersionIndexInput } from '../../builder/site/version-index.ts';
import { packageFile } from '../../lib/package-file.ts';
import { createPageModel } from './create-page-model.ts';

/** A server of documentation pages that carry the nav button. */
export interface ButtonServer {
  readonly origin: string;
  /** Paths with query of all requests for the description and for `versions.json`. */
  readonly asked: readonly string[];
}

export interface ButtonServerOptions {
  /** `api`: pages ask for the description; `static`: they read `versions.json`; `foreign`: another generator's pages. */
  readonly kind?: 'api' | 'static' | 'foreign';
  readonly lang?: string;
  readonly index?: Partial<VersionIndexInput>;
  /** Answers the description, given the path asked for; default: like the API, from `versions.json`. */
  readonly answer?: (response: ServerResponse, path: string) => void;
  /** Added to the page's body. */
  readonly body?: string;
  /** Where the connection falters: what follows in a page arrives when the browser has long drawn what it has. */
  readonly falterAfter?: string;
  /** Added to the Content-Security-Policy. */
  readonly policy?: string;
  /** Pages of ours want the button besides their header; default: they do not. */
  readonly asksForButton?: boolean;
  /** Copies of the script tag on the page; default 1. */
  readonly scripts?: number;
}

const pages = ['index.html', 'guide/index.html', 'guide/install.html', 'größe 1%.html'];
const older = pages.filter((path) => path !== 'guide/install.html');
const english: ReadonlyMap<string, readonly string[]> = new Map([['en', older]]);
const all = new Map([
  ['en', pages],
  ['zh_CN', pages],
  ['ar', older],
] as const);

/** Three languages, two branches, three tags; `guide/install.html` is missing in v1.0 and in Arabic, v1.0 is in English only. */
export const defaultIndex: VersionIndexInput = {
  title: 'Demo',
  gitUrl: 'https://github.example/team/demo',
  latest: 'v2.0',
  single: false,
  languages: ['en', 'zh_CN', 'ar'],
  tags: {},
  versions: [
    { name: 'v2.0', kind: 'tag', slug: 'v2.0', pages: all },
    { name: 'v1.1', kind: 'tag', slug: 'v1.1', pages: all },
    { name: 'v1.0', kind: 'tag', slug: 'v1.0', pages: english },
    { name: 'main', kind: 'branch', slug: 'main', pages: all },
    { name: 'feature/x', kind: 'branch', slug: 'feature-x', pages: english },
  ],
};

const FALTER_MS = 700;

/** Only what the pages themselves need: nothing inline, nothing from elsewhere. */
const strictPolicy = "default-src 'self'; style-src 'self'";
const types: Readonly<Record<string, string>> = { js: 'text/javascript', json: 'application/json', css: 'text/css' };

/**
 * Serves pages at all paths (those below `/nope` and without a page in the index with 404), the script, `versions.json` and
 * descriptions on one origin, under a strict policy.
 */
export async function serveButton(t: ExecutionContext, options: ButtonServerOptions = {}): Promise<ButtonServer> {
  const { kind = 'api', lang = 'en', body = '', scripts = 1, asksForButton = false } = options;
  const index = JSON.parse(buildVersionIndex(tagLanguages({ ...defaultIndex, ...options.index })));
  const composer = createComposer();
  const themeFiles = new Map(composer.themeFiles().map((file) => [`/_docbuild/${file.name}`, file.bytes]));
  const script = readFileSync(packageFile('dist/client/docbuild.js'));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    const send = (type: string, content: string | Uint8Array): void => {
      response.writeHead(200, {
        'content-type': type,
        'content-security-policy': strictPolicy + (options.policy ?? ''),
      });
      response.end(content);
    };
    const { pathname } = url;
    if (pathname.endsWith('/docbuild.js')) return send('text/javascript', script);
    const theme = themeFiles.get(pathname);
    if (theme) return send(types[pathname.split('.').at(-1)!] ?? 'image/svg+xml', theme);
    if (pathname === '/versions.json' || pathname.includes('/desc/')) {
      asked.push(request.url!);
      if (options.answer) return options.answer(response, url.searchParams.get('path') ?? '');
      if (pathname === '/versions.json') return send('application/json', JSON.stringify(index));
      return send('application/json', JSON.stringify(describe(index, url.searchParams.get('path')!)));
    }
    const page = compose(pathname);
    const { falterAfter } = options;
    if (falterAfter === undefined) return send('text/html; charset=utf-8', page);
    const end = page.indexOf(falterAfter) + falterAfter.length;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write(page.slice(0, end));
    sleep(FALTER_MS).then(() => response.end(page.slice(end)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };

  function compose(path: string): string {
    const dir = /^(?:ar|fa)/.test(lang) ? 'rtl' : 'ltr';
    if (kind === 'foreign') {
      const tag = '<script src="/docbuild/assets/docbuild.js" data-project="demo"></script>'.repeat(scripts);
      return `<!doctype html><html lang="${lang}" dir="${dir}"><head><title>x</title>${tag}</head><body><main><h1>Foreign</h1>${body}</main></body></html>`;
    }
    const site = path.includes('/nope') ? '/' : '../'.repeat(path.split('/').length - 2) || './';
    const model: ThemeModel['button'] = {
      script: '/_docbuild/docbuild.js',
      site,
      isSingle: false,
      api: kind === 'api' ? '/docbuild/desc/demo' : '',
    };
    const { theme } = createPageModel();
    const language = { tag: lang, dir } as const;
    const switches = { site, isSingle: false, api: model.api, hasVersions: true, hasLanguages: true };
    const frame = { theme: { ...theme, button: model, switches }, language, assets: '/_docbuild/' };
    if (path.includes('/nope'))
      return composer.composeNotFound({
        ...frame,
        header: [],
        list: 'versions.html',
        base: '/',
        assets: '_docbuild/',
        home: '',
      });
    const content = `<h1 id="top">Install</h1>\n<p>${'Text. '.repeat(400)}</p>\n<p><a href="#code" id="jump">code</a></p><h2 id="code">Code</h2>${body}`;
    return composer.composePage(createPageModel({ ...frame, content, asksForButton }));
  }
}

function tagLanguages(index: VersionIndexInput): VersionIndexInput {
  return { ...index, tags: Object.fromEntries(index.languages.map((code) => [code, parseLanguageTag(code)!])) };
}

/** Stands for the API, by other means than the script: looks every page up in the index. */
export function describe(index: ReturnType<typeof JSON.parse>, path: string): unknown {
  const [, lang, slug, ...rest] = path.split('/');
  const page = rest.join('/').replace(/(^|\/)$/, '$1index.html');
  const nameOf = Object.entries<{ slug: string }>(index.refs).find(([, ref]) => ref.slug === slug)?.[0];
  const listOf = (language: string, name: string): readonly string[] =>
    index.lists[index.pages[language][name === 'latest' ? index.latest : name]].map(
      (place: number) => index.paths[place],
    );
  const alternates = Object.entries<readonly string[]>(index.versions).flatMap(([language, names]) =>
    names.map((version) => {
      const list = listOf(language, version);
      const folder = `${language}/${version === 'latest' ? version : index.refs[version].slug}/`;
      const ancestors = page.split('/').map((_, depth, parts) => [...parts.slice(0, depth), 'index.html'].join('/'));
      const found = [...ancestors, page].findLast((candidate) => list.includes(candidate)) ?? '';
      const url = encodeURI(folder + found.replace(/index\.html$/, ''));
      return { lang: language, version, url, exists: list.includes(page) };
    }),
  );
  const { url, latest, single, hideGit, refs, versions, tags } = index;
  const here = { lang, version: slug === 'latest' ? slug : nameOf, path: page, alternates };
  const data = {
    url,
    latest,
    single,
    hideGit,
    refs,
    versions,
    tags,
    lang: index.languages,
    showNav: true,
    here,
  };
  return { success: true, message: '', data };
}
