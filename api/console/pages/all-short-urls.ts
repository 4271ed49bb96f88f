import { DataError } from '../../../data/data-error.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import { findByAccount } from '../../../platform/accounts/users.ts';
import type { Operations } from '../../../platform/operations/operations.ts';
import type { ListedShortUrl } from '../../../platform/short-urls/list-short-urls.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/all-short-urls';
const SHOWN = 50;
/** Prefix of the names of boxes; a form has each name once. */
const FIELD = 'code.';

/** The operator's search: one code, or all of a user or to a host; no text = all. */
interface Search {
  readonly by: 'code' | 'user' | 'host';
  readonly text: string;
  readonly before: string | undefined;
}

/** A page of what was found, and how many there are. */
interface Found {
  readonly listed: readonly ListedShortUrl[];
  readonly count: number;
}

/** Short URLs of all users, for operators. */
export function allShortUrlPages({ store, baseUrl }: ConsoleContext): ConsolePart {
  /** Returns what a search selects. Throws DataError `not-found` for an unknown user. */
  const select = async ({ by, text }: Search): Promise<{ readonly uid?: string; readonly host?: string }> => {
    if (text === '') return {};
    if (by === 'host') return { host: text };
    const user = (await store.users.find(text)) ?? (await findByAccount(store, text));
    if (!user) throw new DataError('not-found', phrase`User "${text}" does not exist`);
    return { uid: user.uid };
  };
  const find = async (search: Search, operations: Operations): Promise<Found> => {
    const { by, text, before } = search;
    if (by === 'code' && text !== '') return { listed: [await operations.findShortUrl({ code: text })], count: 1 };
    const selection = await select(search);
    const listed = await operations.listShortUrls({ ...selection, before, limit: SHOWN + 1 });
    return { listed, count: (await operations.countShortUrls(selection)).count };
  };
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'all-short-urls.njk',
    async model({ ctx, operations }) {
      const search = readSearch(ctx.querystring);
      let found: Found = { listed: [], count: 0 };
      let problem: string | Phrase = '';
      try {
        found = await find(search, operations);
      } catch (error) {
        if (!(error instanceof DataError) || !/^(?:not-found|invalid)$/.test(error.code)) throw error;
        problem = error.wording;
      }
      const { listed, count } = found;
      const shown = listed.slice(0, SHOWN);
      return {
        search,
        problem,
        count,
        query: formatSearch(search),
        shortUrls: shown.map((one) => ({ ...one, url: `${baseUrl}/t/${one.code}` })),
        isFirst: search.before === undefined,
        firstPath: `${PATH}?${formatSearch({ ...search, before: undefined })}`,
        nextPath: listed.length > SHOWN ? `${PATH}?${formatSearch({ ...search, before: shown.at(-1)!.code })}` : '',
      };
    },
  };
  const back = (search: Search): string => `${PATH}?${formatSearch(search)}`;
  const change = (isDisabled: boolean): ConsoleAction => ({
    path: `${PATH}/${isDisabled ? 'disable' : 'enable'}`,
    page,
    async run({ ctx, operations, form }) {
      const code = form.get('code');
      const search = readSearch(ctx.querystring);
      if (code !== undefined) {
        await (isDisabled ? operations.disableShortUrl({ code }) : operations.enableShortUrl({ code }));
        return { path: back(search), flash: isDisabled ? 'short-url-disabled' : 'short-url-enabled' };
      }
      const codes = readChosen(form);
      if (codes.length === 0) throw new DataError('invalid', phrase`Choose short URLs first`);
      const found = await Promise.all(codes.map((one) => operations.findShortUrl({ code: one })));
      const others = found.filter((one) => one.isDisabled !== isDisabled);
      const change = isDisabled ? operations.disableShortUrl : operations.enableShortUrl;
      await Promise.all(others.map((one) => change({ code: one.code })));
      return { path: back(search), flash: isDisabled ? 'short-urls-disabled' : 'short-urls-enabled' };
    },
  });
  const changeAll: ConsoleAction = {
    path: `${PATH}/all`,
    page,
    async run({ ctx, operations, form }: ConsoleRequest & { readonly form: ConsoleForm }) {
      const search = readSearch(ctx.querystring);
      if (search.by === 'code' || search.text === '')
        throw new DataError('invalid', phrase`Search for a user or a host first`);
      if (form.get('sure') !== '1') throw new DataError('invalid', phrase`Confirm that all of them are meant`);
      const isDisabled = form.get('disabled') !== '0';
      await operations.disableShortUrls({ ...(await select(search)), isDisabled });
      return { path: back(search), flash: isDisabled ? 'short-urls-disabled' : 'short-urls-enabled' };
    },
  };
  return { pages: [page], actions: [change(true), change(false), changeAll] };
}

/** Reads a search from a query, which forms keep in their address. */
function readSearch(querystring: string): Search {
  const query = new URLSearchParams(querystring);
  const by = query.get('by');
  return {
    by: by === 'user' || by === 'host' ? by : 'code',
    text: (query.get('q') ?? '').trim(),
    before: query.get('before') || undefined,
  };
}

function formatSearch({ by, text, before }: Search): string {
  return new URLSearchParams({
    ...(text !== '' && { by, q: text }),
    ...(before !== undefined && { before }),
  }).toString();
}

function readChosen(form: ConsoleForm): readonly string[] {
  return [...form.keys()].filter((name) => name.startsWith(FIELD)).map((name) => name.slice(FIELD.length));
}
