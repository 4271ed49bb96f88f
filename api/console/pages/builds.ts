import { type BuildSearch, type BuildStatus, hasEnded } from '../../../data/records/build.ts';
import { phrase } from '../../../lib/phrase.ts';
import { listBuild } from '../../../platform/builds/list-build.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import type { Operations } from '../../../platform/operations/operations.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { FlashMessage } from '../send-console-page.ts';

const PATH = '/control/builds';
const SHOWN = 50;
/** Prefix of the names of boxes; a form has each name once. */
const FIELD = 'build.';
/** Longest text that is searched for: that of a ref. */
const MAX_TEXT = 255;
const STATUSES: readonly BuildStatus[] = [
  ...(['failing', 'passing', 'queued', 'running', 'cancelled', 'superseded', 'interrupted'] as const),
];

/** Which builds are shown, as the address says. */
interface Search {
  readonly project: string;
  readonly ref: string;
  readonly status: BuildStatus | '';
  /** Only those older than this one (an id); '' = the newest. */
  readonly before: string;
}

/** Builds of all projects, for operators. */
export function buildPages({ store, docsApiUrl, now }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'builds.njk',
    async model({ ctx }) {
      const search = readSearch(ctx.querystring);
      const { project, ref, status, before } = search;
      const wanted: BuildSearch = {
        ...(project !== '' && { project }),
        ...(ref !== '' && { ref }),
        ...(status !== '' && { status }),
      };
      const mayBeOpen = status === '' || !hasEnded(status);
      const open = mayBeOpen ? await store.builds.filter(wanted, await store.builds.listOpen()) : [];
      const mayHaveEnded = status === '' || hasEnded(status);
      const { builds, next } = mayHaveEnded
        ? await store.builds.searchEnded(wanted, { ...(before !== '' && { before }), limit: SHOWN })
        : { builds: [], next: undefined };
      const time = now();
      return {
        search,
        statuses: STATUSES,
        mayBeOpen,
        mayHaveEnded,
        query: formatSearch(search),
        isFiltered: formatSearch({ ...search, before: '' }) !== '',
        open: open.slice(0, SHOWN).map((build) => listBuild(build, time)),
        openCount: open.length,
        builds: builds.map((build) => listBuild(build, time)),
        firstPath: pathOf({ ...search, before: '' }),
        nextPath: next === undefined ? '' : pathOf({ ...search, before: next }),
        isFirst: before === '',
        docsApiUrl,
      };
    },
  };
  return {
    pages: [page],
    actions: [
      {
        path: `${PATH}/cancel`,
        page,
        async run({ ctx, operations, form }) {
          const ids = [...form.keys()].filter((name) => name.startsWith(FIELD)).map((name) => name.slice(FIELD.length));
          if (ids.length === 0) throw new ServiceError('bad-request', phrase`Choose the builds to cancel`);
          // All at once: none of them begins because another one has made room.
          const builds = await Promise.all(ids.map((id) => operations.cancelBuild({ id })));
          const isDone = builds.some(({ status }) => status === 'cancelled');
          return { path: pathOf(readSearch(ctx.querystring)), ...(isDone && { flash: 'builds-cancelled' }) };
        },
      },
      {
        path: `${PATH}/:id/cancel`,
        page,
        async run({ ctx, operations, params: { id = '' } }) {
          const { status } = await operations.cancelBuild({ id });
          const path = pathOf(readSearch(ctx.querystring));
          return { path, ...(status === 'cancelled' && { flash: 'build-cancelled' }) };
        },
      },
      {
        path: `${PATH}/:id/retry`,
        page,
        run: async ({ ctx, operations, params: { id = '' } }) => ({
          path: pathOf(readSearch(ctx.querystring)),
          flash: await retryBuild(operations, id),
        }),
      },
    ],
  };
}

/** Requests once more what a build was for; returns what it has come to. */
export async function retryBuild(operations: Operations, id: string): Promise<FlashMessage> {
  const { requests, kind } = await operations.retryBuild({ id });
  if (requests > 1) return 'retry-joined';
  return kind === 'remove' ? 'removal-retried' : 'build-retried';
}

/** Reads a search from a query, which forms keep in their address. */
function readSearch(querystring: string): Search {
  const query = new URLSearchParams(querystring);
  const read = (name: string): string => (query.get(name) ?? '').trim().slice(0, MAX_TEXT);
  const status = read('status');
  return {
    project: read('project').toLowerCase(),
    ref: read('ref'),
    status: STATUSES.find((one) => one === status) ?? '',
    before: read('before'),
  };
}

function formatSearch(search: Search): string {
  return new URLSearchParams(Object.entries(search).filter(([, text]) => text !== '')).toString();
}

function pathOf(search: Search): string {
  const query = formatSearch(search);
  return query === '' ? PATH : `${PATH}?${query}`;
}
