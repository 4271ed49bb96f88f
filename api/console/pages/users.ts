import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { generatePassword } from '../../../platform/accounts/passwords.ts';
import { presentUser } from '../../../platform/accounts/users.ts';
import type { Operations } from '../../../platform/operations/operations.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest } from '../console-page.ts';
import type { FlashMessage } from '../send-console-page.ts';

const PATH = '/control/users';
const SHOWN = 50;
const SHOWN_SHORT_URLS = 25;

/** Users, for operators. */
export function userPages({ store, flashSecrets, idempotency, baseUrl }: ConsoleContext): ConsolePart {
  const common = { isForOperators: true, section: PATH };
  const takePassword = async ({ ctx, visitor }: ConsoleRequest) =>
    (ctx.method === 'GET' && (await flashSecrets.take(visitor.token, 'password'))) || null;
  const list: ConsolePage = {
    ...common,
    path: PATH,
    template: 'users.njk',
    async model({ operations, query }) {
      const after = query.get('after') || undefined;
      const search = (query.get('q') ?? '').trim();
      const found = await operations.listUsers({ search, after, limit: SHOWN + 1 });
      const users = found.slice(0, SHOWN);
      const addressOf = (page: Record<string, string>): string =>
        `${PATH}?${new URLSearchParams({ ...(search !== '' && { q: search }), ...page })}`;
      return {
        users,
        search,
        count: await store.users.count(),
        firstPath: addressOf({}),
        nextPath: found.length > SHOWN ? addressOf({ after: users.at(-1)!.account }) : '',
        isFirst: after === undefined,
        submissionId: idempotency.createId(),
      };
    },
  };
  const one: ConsolePage = {
    ...common,
    path: `${PATH}/:uid`,
    template: 'user.njk',
    async model(request) {
      const uid = request.params['uid'] ?? '';
      const user = await store.users.find(uid);
      if (!user) throw new DataError('not-found', phrase`User not found`);
      const shortUrls = await request.operations.listShortUrls({ uid, limit: SHOWN_SHORT_URLS });
      return {
        user: presentUser(user),
        isSelf: uid === request.visitor.user.uid,
        created: await takePassword(request),
        keys: (await store.keys.listOf(uid)).length,
        shortUrls: shortUrls.map((shortUrl) => ({ ...shortUrl, url: `${baseUrl}/t/${shortUrl.code}` })),
        shortUrlCount: await store.shortUrls.count({ uid }),
      };
    },
  };
  const change = (
    name: string,
    flash: FlashMessage,
    run: (uid: string, operations: Operations) => Promise<unknown>,
  ): ConsoleAction => ({
    path: `${PATH}/:uid/${name}`,
    page: one,
    async run({ operations, params: { uid = '' } }) {
      await run(uid, operations);
      return { path: `${PATH}/${uid}`, flash };
    },
  });
  const disable: ConsoleAction = {
    path: `${PATH}/:uid/disable`,
    page: one,
    async run({ operations, params: { uid = '' }, visitor, form }) {
      if (uid === visitor.user.uid) {
        throw new DataError('invalid', phrase`You cannot disable your own account; another operator can`);
      }
      const withShortUrls = form.get('short_urls') === '1';
      await operations.disableUser({ uid, isDisabled: true, withShortUrls });
      return { path: `${PATH}/${uid}`, flash: withShortUrls ? 'user-disabled-with-short-urls' : 'user-disabled' };
    },
  };
  const switchShortUrl = (isDisabled: boolean): ConsoleAction => ({
    path: `${PATH}/:uid/short-urls/${isDisabled ? 'disable' : 'enable'}`,
    page: one,
    async run({ operations, params: { uid = '' }, form }) {
      const input = { code: form.get('code') ?? '' };
      if ((await store.shortUrls.find(input.code))?.uid !== uid) {
        throw new DataError('not-found', phrase`Short URL of this user not found`);
      }
      await (isDisabled ? operations.disableShortUrl(input) : operations.enableShortUrl(input));
      return { path: `${PATH}/${uid}`, flash: isDisabled ? 'short-url-disabled' : 'short-url-enabled' };
    },
  });
  return {
    pages: [list, one],
    actions: [
      {
        path: PATH,
        page: list,
        run: ({ operations, visitor: { token, tokenHash }, form }) =>
          idempotency.run(tokenHash, form, async () => {
            const given = form.get('password') ?? '';
            const password = given || generatePassword();
            const isOperator = form.get('operator') === '1';
            const user = await operations.createUser({ account: form.get('account') ?? '', password, isOperator });
            if (given === '') await flashSecrets.put(token, 'password', { secret: password, of: user.account });
            return { path: `${PATH}/${user.uid}`, flash: 'user-created' };
          }),
      },
      disable,
      change('enable', 'user-enabled', (uid, operations) => operations.disableUser({ uid, isDisabled: false })),
      change('verify', 'user-verified', (uid, operations) => operations.verifyUser({ uid, isVerified: true })),
      change('unverify', 'user-unverified', (uid, operations) => operations.verifyUser({ uid, isVerified: false })),
      {
        path: `${PATH}/:uid/password`,
        page: one,
        async run({ operations, visitor, params: { uid = '' }, form }) {
          if (uid === visitor.user.uid)
            throw new DataError('invalid', phrase`Change your own password under "My information"`);
          const given = form.get('password') ?? '';
          const password = given || generatePassword();
          const { account } = await operations.changePassword({ uid, password });
          if (given === '') await flashSecrets.put(visitor.token, 'password', { secret: password, of: account });
          return { path: `${PATH}/${uid}`, flash: 'user-password' };
        },
      },
      switchShortUrl(true),
      switchShortUrl(false),
    ],
  };
}
