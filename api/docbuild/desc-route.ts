import * as z from 'zod';
import type { Project } from '../../data/records/project.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { complaint } from '../../lib/issue-phrase.ts';
import { GSP } from '../../platform/code-hosts/code-host.ts';
import type { CodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import { drawIcon } from '../../platform/projects/draw-icon.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { describeUrl } from '../../platform/projects/present-project.ts';
import { locatePage } from '../../platform/sites/locate-page.ts';
import { refSchema, type SiteIndex } from '../../platform/sites/site-indexes.ts';
import { JSON_TYPE, type PreparedAnswer, prepareAnswer, sendPrepared } from '../http/answers.ts';
import { UNKNOWN_PROJECT } from '../http/build-answers.ts';
import { defineRoute, envelope, failure, type Route, type RouteExample } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';

const query = z.object({
  path: z
    .string()
    .max(2000, complaint`must not have more than 2000 characters`)
    .optional()
    .describe(
      'Path of a page from the site’s root; the answer then has `here`: the same page in other languages and versions',
    ),
});

const here = z.object({
  lang: z.string(),
  version: z.string().describe('Name, or `latest`; empty where there is no such version'),
  path: z.string(),
  alternates: z.array(
    z.object({
      lang: z.string(),
      version: z.string(),
      url: z.string(),
      exists: z
        .boolean()
        .describe('Whether the page is there, at whatever path; else `url` is that of the nearest page above it'),
      section: z.string().optional().describe('Id of the section that the page is there'),
      sections: z
        .record(z.string(), z.string())
        .optional()
        .describe('URLs of sections of the page that are elsewhere there, by their ids'),
    }),
  ),
});
const description = z.object({
  dn: z.boolean(),
  domain: z.string().nullable(),
  gsp: z.enum(GSP),
  hideGit: z.boolean(),
  icon: z.string().describe('PNG as a data URI'),
  lang: z.array(z.string()),
  latest: z.string(),
  public: z.boolean(),
  showNav: z.boolean(),
  single: z.boolean(),
  site: z.string().describe('URL of the published site'),
  sourceDir: z.string(),
  url: z.string(),
  tags: z.record(z.string(), z.string()).describe('BCP 47 tags of the languages'),
  versions: z.record(z.string(), z.array(z.string())),
  refs: z
    .record(z.string(), refSchema)
    .describe(
      '`ref` is the name of the branch or tag where readers call it otherwise. `rank` counts the versions of a `family`, which is what stands before their numbers, from the oldest, 1; a name that is no version has none. ' +
        'What `isAhead`, a pre-release or newer than `latest`, makes no other version old',
    ),
  failing: z
    .record(z.string(), z.string())
    .describe('Versions of which something could not be built, published or not, with the first error; 50 at most'),
  here: here.nullable().optional(),
});

const exampleDescription = {
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
  site: 'https://docs.example.org/docs/guide/',
  sourceDir: 'docs',
  tags: { en: 'en', zh_CN: 'zh-CN' },
  versions: { en: ['latest', 'main', 'v1.1', 'v1.0'], zh_CN: ['latest', 'main', 'v1.1', 'v1.0'] },
  refs: {
    main: { kind: 'branch', slug: 'main', base: 'v1.1' },
    'v1.1': { kind: 'tag', slug: 'v1.1', rank: 2, base: 'v1.0' },
    'v1.0': { kind: 'tag', slug: 'v1.0', rank: 1 },
  },
  failing: {},
};
const exampleHere = {
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
const VARYING_DESCRIPTION = ['data.gsp', 'data.public', 'data.url', 'data.icon', 'data.site'];

/** Requests to describe a project. */
const examples: readonly RouteExample[] = [
  {
    summary: 'A project in two languages with a branch and two tags',
    path: '/docbuild/desc/guide',
    status: 200,
    answer: { success: true, message: '', data: exampleDescription },
    varies: VARYING_DESCRIPTION,
  },
  {
    summary: 'A page in other languages and versions',
    path: '/docbuild/guide/desc?path=/en/v1.1/more',
    status: 200,
    answer: { success: true, message: '', data: { ...exampleDescription, here: exampleHere } },
    varies: VARYING_DESCRIPTION,
  },
  { summary: 'No such project', path: '/docbuild/desc/nothing', status: 404, answer: UNKNOWN_PROJECT },
];

/** Bytes of answers that are kept ready: a project of many versions has long ones, one for each page. */
const MAX_KEPT_BYTES = 20_000_000;
/** Estimated size of an answer beside its body, bytes. */
const OVERHEAD = 500;

interface Kept {
  readonly project: Project;
  readonly index: SiteIndex | undefined;
  readonly answer: PreparedAnswer;
}

/** GET desc: describes a project. */
export function descRoute({ store, sites, codeHosts, siteUrl }: DocbuildContext): Route {
  const kept = createBoundedMap<string, Kept>({
    maxWeight: MAX_KEPT_BYTES,
    // Compressed bodies come later, and take less than the plain one.
    weigh: ({ answer }, key) => 2 * answer.bytes + 2 * key.length + OVERHEAD,
  });
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/desc/:project', '/docbuild/:project/desc'],
    summary: 'Describes a project',
    tag: 'docbuild',
    area: 'docs',
    isAtSites: true,
    isCrossOrigin: true,
    query,
    examples,
    answers: { 200: { description: 'The project', schema: envelope(description) }, 404: failure('No such project') },
    async handle(ctx, { params, query: { path } }) {
      const project = await getProject(store, params['project'] ?? '');
      // The end of each build reads it anew; a look at the disk for each request would be half of its cost.
      const index = sites.peek(project.name) ?? (await sites.read(project.name));
      const key = `${project.name}\n${path ?? ''}\n${path === undefined}`;
      const known = kept.get(key);
      if (known?.project === project && known.index === index) return sendPrepared(ctx, known.answer, JSON_TYPE);
      const data = presentDescription(project, { index, path, codeHosts, site: siteUrl(project) });
      const answer = prepareAnswer(JSON.stringify({ success: true, message: '', data }));
      kept.set(key, { project, index, answer });
      await sendPrepared(ctx, answer, JSON_TYPE);
    },
  });
}

/** Versions that are named with what is wrong; the answer is asked for with each page. */
const MAX_FAILING = 50;

/** Returns a project as readers' pages and other programs see it (`service.md` 2.6); with `path`, also what is at it. */
function presentDescription(
  project: Project,
  {
    index,
    path,
    codeHosts,
    site,
  }: {
    readonly index: SiteIndex | undefined;
    readonly path: string | undefined;
    readonly codeHosts: CodeHosts;
    readonly site: string;
  },
): object {
  const here = path === undefined || !index ? undefined : locatePage(index, path);
  return {
    dn: project.domain !== '',
    domain: project.domain === '' ? null : project.domain,
    ...describeUrl(project.url, codeHosts),
    hideGit: project.hideGit,
    icon: drawIcon(project.name),
    lang: index ? index.languages : project.lang,
    latest: index ? index.latest : project.latest,
    showNav: project.showNav,
    single: project.single,
    site,
    sourceDir: project.sourceDir || 'docs',
    tags: Object.fromEntries(index?.tags ?? []),
    versions: Object.fromEntries(index?.versions ?? []),
    refs: Object.fromEntries(index?.refs ?? []),
    failing: Object.fromEntries(project.failing.slice(0, MAX_FAILING).map(({ ref, reason }) => [ref, reason])),
    ...(path !== undefined && { here: here ?? null }),
  };
}
