import * as z from 'zod';
import { type Badge, describeShare, drawBadge } from '../../lib/badge.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { findVersionStatus, type VersionStatus } from '../../platform/projects/version-status.ts';
import { type PreparedAnswer, prepareAnswer, sendPrepared } from '../http/answers.ts';
import { defineRoute, type Route, type RouteExample } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';

const STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'] as const;
const COLOURS = { passing: 'brightgreen', failing: 'red', unknown: 'lightgrey' } as const;

/** Returns a text without what XML forbids, which would break the picture. */
function cleanLabel(text: string): string {
  return text.slice(0, 100).replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '');
}

/** Languages are the same however their parts are joined. */
function languageId(code: string): string {
  return code.toLowerCase().replaceAll('_', '-');
}

const query = z.object({
  branch: z.string().optional().describe('Branch or tag; default: the one that `latest` means'),
  lang: z
    .string()
    .optional()
    .describe('Language: the badge says how much of the original its translation has, in percent'),
  style: z
    .enum(STYLES)
    .catch('flat')
    .describe(`One of ${STYLES.join(', ')}`),
  label: z
    .string()
    .max(100)
    .transform(cleanLabel)
    .optional()
    .catch(undefined)
    .describe('Text on the left; default: `docs`, or the language'),
});

type Message = Pick<Badge, 'message' | 'color'>;

const UNKNOWN: Message = { message: 'unknown', color: COLOURS.unknown };

/** Requests for a badge. */
const examples: readonly RouteExample[] = [
  { summary: 'The badge of `latest`', path: '/docbuild/badge/guide', status: 200 },
  {
    summary: 'Of a tag, in another style',
    path: '/docbuild/guide/badge?branch=v1.1&style=for-the-badge&label=handbook',
    status: 200,
  },
  { summary: 'Of a translation', path: '/docbuild/badge/guide?lang=zh_CN', status: 200 },
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
    summary:
      'Shows the status of a version: failing when it, or one of its pages, could not be built; or how a translation stands',
    tag: 'docbuild',
    area: 'docs',
    isCrossOrigin: true,
    isLenient: true,
    query,
    examples,
    answers: {
      200: {
        description:
          '`docs: passing`, `docs: failing` or `docs: unknown`; with `lang` `zh_CN: 83 %` or `zh_CN: unknown`',
        media: 'image/svg+xml',
      },
    },
    async handle(ctx, { params, query: { branch, lang, style, label = lang ? cleanLabel(lang) : 'docs' } }) {
      const name = String(params.project).toLowerCase();
      const { message, color } = lang ? await findTranslated(name, branch, lang) : await describeStatus(name, branch);
      const key = `${message}\n${color}\n${style}\n${label}`;
      let answer = kept.get(key);
      if (!answer) {
        answer = prepareAnswer(await drawBadge({ label, message, color, style }));
        kept.set(key, answer);
      }
      for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
      await sendPrepared(ctx, answer, 'image/svg+xml');
    },
  });

  async function describeStatus(name: string, branch: string | undefined): Promise<Message> {
    const status = await findStatus(name, branch);
    return { message: status, color: COLOURS[status] };
  }

  async function findTranslated(name: string, branch: string | undefined, lang: string): Promise<Message> {
    const project = await store.projects.find(name);
    const index = project && (sites.peek(name) ?? (await sites.read(name)));
    const code = index?.languages.find((one) => languageId(one) === languageId(lang));
    const isAlias = branch === undefined || branch === '' || (branch === 'latest' && !index?.refs.has(branch));
    const named = [...(index?.refs ?? [])].find(([own, { ref }]) => own === branch || ref === branch);
    const version = isAlias ? 'latest' : (named?.[0] ?? branch);
    if (!index || code === undefined || !index.pagesOf(code, version)) return UNKNOWN;
    // All others are translated from the first.
    const percent = code === index.languages[0] ? 100 : index.translatedOf(code, version);
    return percent === undefined ? UNKNOWN : describeShare(percent);
  }

  async function findStatus(name: string, branch: string | undefined): Promise<VersionStatus> {
    const project = await store.projects.find(name);
    if (!project) return 'unknown';
    const index = sites.peek(name) ?? (await sites.read(name));
    const isAlias = branch === undefined || branch === '' || (branch === 'latest' && !index?.refs.has(branch));
    // The version chosen as latest may be gone, and another one have taken its place.
    const isGone = index && !project.versions.some(({ ref }) => ref === project.latest);
    const latest = isGone || project.latest === '' ? index?.latestRef : project.latest;
    const ref = isAlias ? latest : (index?.refs.get(branch)?.ref ?? branch);
    return findVersionStatus(project, ref, await store.builds.findLastFinished(name, ref));
  }
}
