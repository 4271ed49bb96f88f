import { createCalendar } from '../../../platform/quotas/calendar.ts';
import { drawQrCode } from '../../../platform/short-urls/draw-qr-code.ts';
import {
  getShortUrl,
  type ListedShortUrl,
  listShortUrls,
  type OwnChange,
} from '../../../platform/short-urls/list-short-urls.ts';
import { parseExpiry } from '../../../platform/short-urls/parse-expiry.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';
import type { FlashMessage } from '../send-console-page.ts';

const PATH = '/control/short-urls';
const SHOWN = 25;

/** The visitor's own short URLs. */
export function shortUrlPages(context: ConsoleContext): ConsolePart {
  const { baseUrl, store, settings, now, makeShortUrl } = context;
  const common = { isForOperators: false, section: PATH };
  const present = (one: ListedShortUrl) => ({ ...one, url: `${baseUrl}/t/${one.code}` });
  const list: ConsolePage = {
    ...common,
    path: PATH,
    template: 'short-urls.njk',
    async model({ visitor: { user }, query }) {
      const { uid } = user;
      const before = query.get('before') || undefined;
      if (before !== undefined) await getShortUrl(context, { code: before, uid });
      const found = await listShortUrls(context, { uid, before, limit: SHOWN + 1 });
      const shown = found.slice(0, SHOWN);
      const made = query.get('made') ?? '';
      const { timezone, utility } = settings.current();
      return {
        shortUrls: shown.map(present),
        // A short URL that already existed may be far down the list.
        made: made !== '' && (await store.shortUrls.find(made))?.uid === uid ? `${baseUrl}/t/${made}` : '',
        nextPath: found.length > SHOWN ? `${PATH}?before=${encodeURIComponent(shown.at(-1)!.code)}` : '',
        isFirst: before === undefined,
        count: await store.shortUrls.count({ uid }),
        perDay: utility.short_url.per_day,
        timezone,
      };
    },
  };
  const one: ConsolePage = {
    ...common,
    path: `${PATH}/:code`,
    template: 'short-url.njk',
    async model({ visitor: { user }, params: { code = '' } }) {
      const found = await getShortUrl(context, { code, uid: user.uid });
      const { timezone } = settings.current();
      const shortUrl = present(found);
      return {
        shortUrl,
        timezone,
        // It expires at the end of its last day.
        lastDay: found.expiresAt ? createCalendar(timezone)(Date.parse(found.expiresAt) - 1).name : '',
        qrCode: `data:image/svg+xml,${encodeURIComponent(drawQrCode(shortUrl.url))}`,
      };
    },
  };
  const change = (name: string, flash: FlashMessage, read: (form: ConsoleForm) => OwnChange): ConsoleAction => ({
    path: `${PATH}/:code/${name}`,
    page: one,
    async run({ visitor: { user }, params: { code = '' }, form }) {
      await context.changeOwn({ code, uid: user.uid }, read(form));
      return { path: `${PATH}/${encodeURIComponent(code)}`, flash };
    },
  });
  const readExpiry = (form: ConsoleForm): string | null =>
    parseExpiry(form.get('expires_at') ?? '', { now: now(), timezone: settings.current().timezone }) ?? null;
  return {
    pages: [list, one],
    actions: [
      {
        path: PATH,
        page: list,
        async run({ ctx, visitor: { user }, form }) {
          const [longUrl, jid, expiresAt] = [form.get('long_url') ?? '', form.get('jid'), form.get('expires_at')];
          const { code } = await makeShortUrl(ctx, { uid: user.uid, longUrl, jid, expiresAt });
          return { path: `${PATH}?made=${encodeURIComponent(code)}`, flash: 'shortened' };
        },
      },
      change('disable', 'short-url-disabled', () => ({ isDisabled: true })),
      change('enable', 'short-url-enabled', () => ({ isDisabled: false })),
      change('expiry', 'short-url-expiry', (form) => ({ expiresAt: readExpiry(form) })),
    ],
  };
}
