import { UNKNOWN_PROJECT } from '../http/build-answers.ts';
import type { RouteExample } from '../http/route.ts';

const description = {
  dn: false,
  domain: null,
  gsp: 'GitHub',
  public: true,
  url: 'https://github.com/you/guide',
  hideGit: false,
  icon: 'data:image/png;base64,iVBORw0KGgo=',
  lang: ['en', 'zh_CN'],
  latest: 'main',
  showNav: true,
  single: false,
  sourceDir: 'docs',
  versions: { en: ['latest', 'main', 'v1.1', 'v1.0'], zh_CN: ['latest', 'main', 'v1.1', 'v1.0'] },
  refs: {
    main: { kind: 'branch', slug: 'main' },
    'v1.1': { kind: 'tag', slug: 'v1.1' },
    'v1.0': { kind: 'tag', slug: 'v1.0' },
  },
  failing: {},
};
const here = {
  lang: 'en',
  version: 'v1.1',
  path: 'more.html',
  alternates: [
    { lang: 'en', version: 'latest', url: 'en/latest/more.html', exists: true },
    { lang: 'en', version: 'main', url: 'en/main/more.html', exists: true },
    { lang: 'en', version: 'v1.1', url: 'en/v1.1/more.html', exists: true },
    { lang: 'en', version: 'v1.0', url: 'en/v1.0/', exists: false },
    { lang: 'zh_CN', version: 'v1.1', url: 'zh_CN/v1.1/more.html', exists: true },
  ],
};
const VARYING_DESCRIPTION = ['data.gsp', 'data.public', 'data.url', 'data.icon'];

/** Requests to describe a project. */
export const descExamples: readonly RouteExample[] = [
  {
    summary: 'A project in two languages with a branch and two tags',
    path: '/docbuild/desc/guide',
    status: 200,
    answer: { success: true, message: '', data: description },
    varies: VARYING_DESCRIPTION,
  },
  {
    summary: 'A page in other languages and versions',
    path: '/docbuild/guide/desc?path=/en/v1.1/more',
    status: 200,
    answer: { success: true, message: '', data: { ...description, here } },
    varies: VARYING_DESCRIPTION,
  },
  { summary: 'No such project', path: '/docbuild/desc/nothing', status: 404, answer: UNKNOWN_PROJECT },
];

/** Requests for a badge. */
export const badgeExamples: readonly RouteExample[] = [
  { summary: 'The badge of `latest`', path: '/docbuild/badge/guide', status: 200 },
  {
    summary: 'Of a tag, in another style',
    path: '/docbuild/guide/badge?branch=v1.1&style=for-the-badge&label=handbook',
    status: 200,
  },
  { summary: 'Of a project that does not exist: `unknown`', path: '/docbuild/badge/nothing', status: 200 },
];

/** Requests for the page of a project. */
export const projectPageExamples: readonly RouteExample[] = [
  { summary: 'A project', path: '/docbuild/projects/guide', status: 200 },
  { summary: 'No such project', path: '/docbuild/projects/nothing', status: 404, answer: UNKNOWN_PROJECT },
];
