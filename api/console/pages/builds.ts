import type { ConsoleContext } from '../console-context.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';
import { listNewestBuilds } from '../list-newest-builds.ts';

const PATH = '/control/builds';
const SHOWN = 50;

/** Builds of all projects, for operators. */
export function buildPages({ operations, store, docsApiUrl }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'builds.njk',
    async model() {
      const open = await store.builds.listOpen();
      return {
        open: open.slice(0, SHOWN),
        openCount: open.length,
        builds: await listNewestBuilds(store, SHOWN),
        docsApiUrl,
      };
    },
  };
  return {
    pages: [page],
    actions: [
      {
        path: `${PATH}/:id/cancel`,
        page,
        async run({ params: { id = '' } }) {
          const { status } = await operations.cancelBuild({ id });
          return { path: PATH, ...(status === 'cancelled' && { said: 'build-cancelled' }) };
        },
      },
    ],
  };
}
