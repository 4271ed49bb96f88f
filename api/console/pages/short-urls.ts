import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/short-urls';
const SHOWN = 25;

/** The visitor's own short URLs. */
export function shortUrlPages({ baseUrl, store, settings, makeShortUrl }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: false,
    section: PATH,
    template: 'short-urls.njk',
    async model({ operations, visitor: { user }, query }) {
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
        // A short URL that already existed may be far down the list.
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
          const { code } = await makeShortUrl(ctx, input);
          return { path: `${PATH}?made=${encodeURIComponent(code)}`, flash: 'shortened' };
        },
      },
    ],
  };
}
