import { phrase } from '../../../lib/phrase.ts';
import { ApiError } from '../../http/errors.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/builds';
const SHOWN = 50;
/** What names of boxes begin with; a form has each name once. */
const FIELD = 'build.';

/** Builds of all projects, for operators. */
export function buildPages({ store, docsApiUrl }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'builds.njk',
    async model({ query }) {
      const before = query.get('before') || undefined;
      const open = await store.builds.listOpen();
      const found = await store.builds.listEnded({ ...(before !== undefined && { before }), limit: SHOWN + 1 });
      const builds = found.slice(0, SHOWN);
      return {
        open: open.slice(0, SHOWN),
        openCount: open.length,
        builds,
        nextPath: found.length > SHOWN ? `${PATH}?before=${encodeURIComponent(builds.at(-1)!.id)}` : '',
        isFirst: before === undefined,
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
        async run({ operations, form }) {
          const ids = [...form.keys()].filter((name) => name.startsWith(FIELD)).map((name) => name.slice(FIELD.length));
          if (ids.length === 0) throw new ApiError(400, 'bad-request', phrase`Choose the builds to cancel`);
          // All at once: none of them begins because another one has made room.
          const builds = await Promise.all(ids.map((id) => operations.cancelBuild({ id })));
          const isDone = builds.some(({ status }) => status === 'cancelled');
          return { path: PATH, ...(isDone && { flash: 'builds-cancelled' }) };
        },
      },
      {
        path: `${PATH}/:id/cancel`,
        page,
        async run({ operations, params: { id = '' } }) {
          const { status } = await operations.cancelBuild({ id });
          return { path: PATH, ...(status === 'cancelled' && { flash: 'build-cancelled' }) };
        },
      },
    ],
  };
}
