import type { HeaderEntry, PageModel } from '../../builder/compose/page-model.ts';
import { createSidebar, type NavigationNode } from '../../builder/compose/render-sidebar.ts';

const navigation: readonly NavigationNode[] = [
  {
    title: 'Guide',
    path: 'guide/',
    children: [
      { title: 'Install', path: 'guide/install.html', children: [] },
      { title: 'Use', path: 'guide/use.html', children: [] },
    ],
  },
  {
    title: 'Reference',
    path: undefined,
    children: [{ title: 'Options', path: 'reference/options.html', children: [] }],
  },
];

const link: HeaderEntry = { title: '', url: undefined, icon: undefined, isOutside: false, isCurrent: false, links: [] };

/** Returns the model of a page at `/guide/install.html` with a bit of everything; `changes` replace parts of it. */
export function createPageModel(changes: Partial<PageModel> = {}): PageModel {
  return {
    theme: {
      siteTitle: 'Example',
      style: undefined,
      logo: undefined,
      favicon: undefined,
      image: undefined,
      styles: [],
      hidesTitle: false,
      social: [],
      fonts: [],
      scripts: [],
      announcement: undefined,
      liveScript: undefined,
      footer: { text: [{ title: 'Footer text', url: undefined }], columns: [] },
      feedback: undefined,
      repository: { url: 'https://example.test/you/demo', icon: 'M1 1h22v22z', isLinked: false },
      button: { script: undefined, api: undefined, site: '../', isSingle: false },
      switches: { api: undefined, site: '../', isSingle: false, hasVersions: true, hasLanguages: true },
    },
    language: { tag: 'en', dir: 'ltr' },
    fallbackLanguage: undefined,
    original: undefined,
    layout: 'doc',
    isUnlisted: false,
    title: 'Install',
    hidesTitle: false,
    head: [],
    image: undefined,
    updated: '2024-02-03T04:05:06Z',
    hasSidebar: true,
    description: 'How to install it',
    changes: '../../_docbuild/changes/en.html',
    feed: undefined,
    root: '../',
    assets: '../assets/',
    content: '<h1 id="install">Install</h1>\n<p>Text.</p>\n',
    problem: undefined,
    home: undefined,
    extras: [],
    toc: [
      { level: 2, id: 'code', text: 'Code' },
      { level: 3, id: 'größe', text: 'Größe & <Maß>' },
    ],
    header: [
      { ...link, title: 'Guide', url: './', isCurrent: true },
      {
        ...link,
        title: 'More',
        links: [
          { ...link, title: 'Options', url: '../reference/options.html' },
          { ...link, title: 'Blog', url: 'https://example.test/blog', isOutside: true },
        ],
      },
      { ...link, title: 'Source', url: 'https://example.test/you/guide', icon: 'M2 2h20v20z', isOutside: true },
    ],
    list: '../../versions.html',
    isHeaderOfSidebar: false,
    start: undefined,
    sidebar: createSidebar(navigation).render({ prefix: '../', current: 'guide/install.html' }),
    breadcrumbs: [{ title: 'Guide', url: './' }],
    previous: { title: 'Guide', url: './' },
    next: { title: 'Use', url: 'use.html' },
    editUrl: 'https://example.test/edit/guide/install.md',
    sourceUrl: 'https://example.test/view/guide/install.md',
    asksForButton: false,
    canonical: undefined,
    alternates: [
      { tag: 'en', url: 'https://example.test/en/latest/guide/install.html' },
      { tag: 'fa', url: 'https://example.test/fa/latest/guide/install.html' },
    ],
    trail: [
      { title: 'Example </script>', url: 'https://example.test/en/latest/' },
      { title: 'Install', url: 'https://example.test/en/latest/guide/install.html' },
    ],
    markdown: undefined,
    ...changes,
  };
}
