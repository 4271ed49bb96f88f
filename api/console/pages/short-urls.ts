import { makeShortUrl } from '../../short-urls/make-short-url.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/short-urls';
const SHOWN = 25;

/** My short URLs. */
export function shortUrlPages(context: ConsoleContext): ConsolePart {
  const { operations, baseUrl, store, settings } = context;
  const page: ConsolePage = {
    path: PATH,
    isForOperators: false,
    section: PATH,
    template: 'short-urls.njk',
    async model({ visitor: { user }, query }) {
      const before = query.get('before') || undefined;
      const found = await operations.listShortUrls({
        uid: user.uid,
        ...(before !== undefined && { before }),
        limit: SHOWN + 1,
      });
      const shown = found.slice(0, SHOWN);
      const made = query.get('made') ?? '';
      return {
        shortUrls: shown.map((one) => ({ ...one, url: `${baseUrl}/t/${one.code}` })),
        // One that was there before may stand far below.
        made: made !== '' && (await store.shortUrls.find(made))?.uid === user.uid ? `${baseUrl}/t/${made}` : '',
        nextPath: found.length > SHOWN ? `${PATH}?before=${encodeURIComponent(shown.at(-1)!.code)}` : '',
        isFirst: before === undefined,
        count: await store.shortUrls.count(user.uid),
        perDay: settings.current().utility.short_url.per_day,
      };
    },
  };
  return {
    pages: [page],
    actions: [
      {
        path: PATH,
        page,
        isRefusedToBlocked: true,
        async run({ ctx, visitor: { user }, form }) {
          const input = { uid: user.uid, longUrl: form.get('long_url') ?? '', jid: form.get('jid') };
          const { code } = await makeShortUrl(ctx, input, context);
          return { path: `${PATH}?made=${encodeURIComponent(code)}`, said: 'shortened' };
        },
      },
    ],
  };
}
