import pMap from 'p-map';
import * as z from 'zod';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { complaint } from '../../lib/issue-phrase.ts';
import { encodePath } from '../../lib/url-text.ts';
import type { CodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import { describeUrl } from '../../platform/projects/present-project.ts';
import { prepareAnswer, sendPrepared } from '../http/answers.ts';
import { readerOf } from '../http/language.ts';
import { PAGE_HEADERS, renderPage } from '../http/pages.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';

/** A row of the list of sites. */
interface SiteSummary {
  readonly title?: string | undefined;
  readonly single: boolean;
  /** Codes, the default language first. */
  readonly languages: readonly string[];
  /** BCP 47 tags by language. */
  readonly tags: ReadonlyMap<string, string>;
  /** Homes of the languages of the latest version. */
  readonly homes: readonly { readonly path: string; readonly tag: string }[];
}

interface StartContext {
  readonly store: Pick<Store, 'projects'>;
  /** Reads what a published site holds. */
  readonly sites: { read(project: string): Promise<SiteSummary | undefined> };
  readonly codeHosts: CodeHosts;
  readonly siteUrl: (project: Project) => string;
  /** Begins the URLs of sites that every host of the service has: their links stay at the host that was asked. '' = there are none. */
  readonly hereUrl: string;
  /** URL or path of the console. */
  readonly consoleUrl: string;
}

/** Sites of one page. */
const SHOWN = 50;
/** Projects that are looked at for one page: many may be private, or have nothing published. */
const EXAMINED = 1_000;
/** Projects that are read at once: each may have hundreds of versions. */
const CHUNK = 100;
const READ_AT_ONCE = 8;
/** Languages of one site that are named. */
const LANGUAGES = 12;

const query = z.object({
  after: z
    .string()
    .max(101, complaint`must not have more than ${101} characters`)
    .regex(/^[0-9a-z_-]*$/, complaint`must be the name of a project`)
    .optional()
    .describe('Name of a project; the page lists those after it'),
});

/** GET /: lists the public sites, and leads to the console and to the API. */
export function startRoute({ store, sites, codeHosts, siteUrl, hereUrl, consoleUrl }: StartContext): Route {
  return defineRoute({
    method: 'get',
    paths: ['/'],
    summary: 'Lists the public sites, with links to the console and to the API',
    tag: 'service',
    query,
    answers: {
      200: { description: 'A page', media: 'text/html' },
      400: failure('`after` is not the name of a project'),
    },
    examples: [
      { summary: 'The page', path: '/', status: 200 },
      { summary: 'The next page', path: '/?after=guide', status: 200 },
    ],
    async handle(ctx, { query: { after = '' } }) {
      const { found, next } = await findPublic(after);
      const shown = await pMap(found, present, { concurrency: READ_AT_ONCE });
      const nextPath = next === undefined ? '' : `/?after=${next}`;
      const model = { consoleUrl, sites: shown, nextPath, isFirst: after === '' };
      const page = renderPage('start.njk', model, readerOf(ctx));
      ctx.set(PAGE_HEADERS);
      await sendPrepared(ctx, prepareAnswer(page), 'text/html; charset=utf-8');
    },
  });

  /** Returns the projects of a page, and the name after which the next one begins. */
  async function findPublic(after: string): Promise<{ readonly found: readonly Project[]; readonly next?: string }> {
    const found: Project[] = [];
    let last = after;
    for (let examined = 0; examined < EXAMINED; examined += CHUNK) {
      const listed = await store.projects.list({ ...(last !== '' && { after: last }), limit: CHUNK });
      for (const project of listed) {
        if (found.length === SHOWN) return { found, next: found.at(-1)!.name };
        if (project.versions.length > 0 && describeUrl(project.url, codeHosts).public) found.push(project);
        last = project.name;
      }
      if (listed.length < CHUNK) return { found };
    }
    return { found, next: last };
  }

  async function present(project: Project): Promise<object> {
    const whole = siteUrl(project);
    const url = hereUrl !== '' && whole.startsWith(`${hereUrl}/`) ? whole.slice(hereUrl.length) : whole;
    // A site that cannot be read now is listed by its name.
    const index = await sites.read(project.name).catch(() => undefined);
    const homes = index?.single
      ? index.languages.map((code, at) => ({ path: at === 0 ? '' : `${code}/`, tag: index.tags.get(code) ?? code }))
      : (index?.homes ?? []);
    const languages = homes
      .slice(0, LANGUAGES)
      .map(({ path, tag }) => ({ tag, name: ownName(tag), url: url + encodePath(path) }));
    const title = index?.title ?? project.name;
    return { name: project.name, title, url, languages, more: homes.length - languages.length };
  }
}

/** Returns what a language calls itself; its tag where that is unknown. */
const ownName = memoize((tag) => {
  try {
    return new Intl.DisplayNames([tag, 'en'], { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}, 1_000);
