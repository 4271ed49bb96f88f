import * as z from 'zod';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { findVersionStatus, type VersionStatus } from '../../platform/projects/version-status.ts';
import { type PreparedAnswer, prepareAnswer, sendPrepared } from '../http/answers.ts';
import { defineRoute, type Route, type RouteExample } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';

const STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const;
const COLOURS = { passing: 'brightgreen', failing: 'red', unknown: 'lightgrey' } as const;

const query = z.object({
  branch: z.string().optional().describe('Branch or tag; default: the one that `latest` means'),
  style: z
    .enum(STYLES)
    .catch('flat')
    .describe(`One of ${STYLES.join(', ')}`),
  label: z
    .string()
    .max(100)
    // What XML forbids would break the picture.
    .transform((text) => text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ''))
    .catch('docs')
    .describe('Text on the left'),
});

/** Requests for a badge. */
const examples: readonly RouteExample[] = [
  { summary: 'The badge of `latest`', path: '/docbuild/badge/guide', status: 200 },
  {
    summary: 'Of a tag, in another style',
    path: '/docbuild/guide/badge?branch=v1.1&style=for-the-badge&label=handbook',
    status: 200,
  },
  { summary: 'Of a project that does not exist: `unknown`', path: '/docbuild/badge/nothing', status: 200 },
];

/** For those who open the picture by itself. */
const HEADERS = [
  ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
  ['X-Content-Type-Options', 'nosniff'],
] as const;
const MAX_KEPT = 1_000;

/** GET badge: draws how a version stands. Always 200, so that a README never shows a broken picture. */
export function badgeRoute({ store, sites }: DocbuildContext): Route {
  const kept = createBoundedMap<string, PreparedAnswer>({ maxEntries: MAX_KEPT });
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/badge/:project', '/docbuild/:project/badge'],
    summary: 'Shows the status of a version: failing when it, or one of its pages, could not be built',
    tag: 'docbuild',
    area: 'docs',
    isCrossOrigin: true,
    isLenient: true,
    query,
    examples,
    answers: { 200: { description: '`docs: passing`, `docs: failing` or `docs: unknown`', media: 'image/svg+xml' } },
    async handle(ctx, { params, query: { branch, style, label } }) {
      const status = await findStatus(String(params.project).toLowerCase(), branch);
      const key = `${status}\n${style}\n${label}`;
      let answer = kept.get(key);
      if (!answer) {
        // Its tables of letter widths are 0.9 MB; a server that draws no badge does without.
        const { makeBadge } = await import('badge-maker');
        answer = prepareAnswer(makeBadge({ label, message: status, color: COLOURS[status], style }));
        kept.set(key, answer);
      }
      for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
      await sendPrepared(ctx, answer, 'image/svg+xml');
    },
  });

  async function findStatus(name: string, branch: string | undefined): Promise<VersionStatus> {
    const project = await store.projects.find(name);
    if (!project) return 'unknown';
    const index = sites.peek(name) ?? (await sites.read(name));
    const isAlias = branch === undefined || branch === '' || (branch === 'latest' && !index?.refs.has(branch));
    // What is chosen as latest may be gone, and another one have taken its place.
    const isGone = index && !project.versions.some(({ ref }) => ref === project.latest);
    const latest = isGone || project.latest === '' ? index?.latestRef : project.latest;
    const ref = isAlias ? latest : (index?.refs.get(branch)?.ref ?? branch);
    return findVersionStatus(project, ref, await store.builds.findLastFinished(name, ref));
  }
}
