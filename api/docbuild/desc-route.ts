import { z } from 'zod';
import type { Project } from '../../data/records/project.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { JSON_TYPE, type PreparedAnswer, prepareAnswer, sendPrepared } from '../http/answers.ts';
import { defineRoute, envelope, failure, type Route } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';
import { descExamples } from './docbuild-examples.ts';
import { presentDescription } from './present-description.ts';
import type { SiteIndex } from './site-indexes.ts';

const query = z.object({
  path: z
    .string()
    .max(2000, 'must not have more than 2000 characters')
    .optional()
    .describe(
      'Path of a page from the site’s root; the answer then has `here`: the same page in other languages and versions',
    ),
});

const here = z.object({
  lang: z.string(),
  version: z.string(),
  path: z.string(),
  alternates: z.array(z.object({ lang: z.string(), version: z.string(), url: z.string(), exists: z.boolean() })),
});
const description = z.object({
  dn: z.boolean(),
  domain: z.string().nullable(),
  gsp: z.enum(['GitHub', 'Gitee', 'GitLab', 'Git']),
  hideGit: z.boolean(),
  icon: z.string().describe('PNG as a data URI'),
  lang: z.array(z.string()),
  latest: z.string(),
  public: z.boolean(),
  showNav: z.boolean(),
  single: z.boolean(),
  sourceDir: z.string(),
  url: z.string(),
  versions: z.record(z.string(), z.array(z.string())),
  refs: z.record(z.string(), z.object({ kind: z.enum(['branch', 'tag', 'worktree']), slug: z.string() })),
  failing: z
    .record(z.string(), z.string())
    .describe('Versions of which something could not be built, published or not, with the first error; 50 at most'),
  here: here.nullable().optional(),
});

/** Bytes of answers that are kept ready: a project of many versions has long ones, one for each page. */
const MAX_KEPT_BYTES = 20_000_000;
/** What an answer takes beside its body, roughly. */
const OVERHEAD = 500;

interface Kept {
  readonly project: Project;
  readonly index: SiteIndex | undefined;
  readonly answer: PreparedAnswer;
}

/** GET desc: describes a project. */
export function descRoute({ store, sites }: DocbuildContext): Route {
  const kept = createBoundedMap<string, Kept>({
    maxWeight: MAX_KEPT_BYTES,
    weigh: ({ answer }, key) => answer.body.length + 2 * key.length + OVERHEAD,
  });
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/desc/:project', '/docbuild/:project/desc'],
    summary: 'Describes a project',
    tag: 'docbuild',
    area: 'docs',
    query,
    examples: descExamples,
    answers: { 200: { description: 'The project', schema: envelope(description) }, 404: failure('No such project') },
    async handle(ctx, { params, query: { path } }) {
      const project = await getProject(store, params['project'] ?? '');
      // The end of each build reads it anew; a look at the disk for each request would be half of its cost.
      const index = sites.peek(project.name) ?? (await sites.read(project.name));
      const key = `${project.name}\n${path ?? ''}\n${path === undefined}`;
      const known = kept.get(key);
      if (known?.project === project && known.index === index) return sendPrepared(ctx, known.answer, JSON_TYPE);
      const data = presentDescription(project, index, path);
      const answer = prepareAnswer(JSON.stringify({ success: true, message: '', data }));
      kept.set(key, { project, index, answer });
      sendPrepared(ctx, answer, JSON_TYPE);
    },
  });
}
