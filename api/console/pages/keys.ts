import { DataError } from '../../../data/data-error.ts';
import type { KeyPermission } from '../../../data/records/api-key.ts';
import { phrase } from '../../../lib/phrase.ts';
import { createKey, deleteKey, disableKey, MAX_KEYS, presentKey } from '../../../platform/accounts/api-keys.ts';
import type { Accounts } from '../../../platform/accounts/users.ts';
import { actorOf } from '../../http/callers.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/keys';

/** The visitor's own API keys. */
export function keyPages(context: ConsoleContext): ConsolePart {
  const { accounts, audit, callers, checkChange, flashSecrets, idempotency } = context;
  const { keys } = accounts.store;
  /** Changes a key of the visitor, which the audit log shows. Throws ServiceError 429 for a user who changes too many. */
  const record = async <T>(
    { ctx, visitor: { user } }: ConsoleRequest,
    event: { readonly action: string; readonly details: string },
    work: (accounts: Accounts) => Promise<T>,
  ): Promise<T> => {
    checkChange(user.uid);
    return audit.record({ ...event, actor: actorOf(ctx, user, callers), target: user.uid }, (store) =>
      work({ ...accounts, store }),
    );
  };
  const common = { isForOperators: false, section: PATH };
  const page: ConsolePage = {
    ...common,
    path: PATH,
    template: 'keys.njk',
    model: async ({ ctx, visitor: { user, token } }) => ({
      keys: (await keys.listOf(user.uid)).map(presentKey).reverse(),
      most: MAX_KEYS,
      // HEAD shows nothing, so it must not use up the secret.
      created: (ctx.method === 'GET' && (await flashSecrets.take(token, 'key'))) || null,
      submissionId: idempotency.createId(),
    }),
  };
  const confirmation: ConsolePage = {
    ...common,
    path: `${PATH}/:id/delete`,
    template: 'key-delete.njk',
    async model({ visitor: { user }, params: { id = '' } }) {
      const key = await keys.find(id);
      if (key?.uid !== user.uid) throw new DataError('not-found', phrase`Key not found`);
      return { key: presentKey(key) };
    },
  };
  const setState = (isDisabled: boolean): ConsoleAction => ({
    path: `${PATH}/:id/${isDisabled ? 'disable' : 'enable'}`,
    page,
    async run(request) {
      const { visitor, params } = request;
      const own = { uid: visitor.user.uid, id: params['id'] ?? '' };
      await record(request, { action: isDisabled ? 'disableKey' : 'enableKey', details: own.id }, (accounts) =>
        disableKey(accounts, own, isDisabled),
      );
      return { path: PATH, flash: isDisabled ? 'key-disabled' : 'key-enabled' };
    },
  });
  return {
    pages: [page, confirmation],
    actions: [
      {
        path: PATH,
        page,
        run({ form, ...request }) {
          const { user, token, tokenHash } = request.visitor;
          return idempotency.run(tokenHash, form, async () => {
            const isDisabled = form.get('state') === 'disabled';
            const permission = toPermission(form);
            const input = { uid: user.uid, permission, name: form.get('name'), isDisabled };
            const { key, raw } = await record(request, { action: 'createKey', details: permission }, (accounts) =>
              createKey(accounts, input),
            );
            await flashSecrets.put(token, 'key', { secret: raw, of: key.id });
            return { path: PATH, flash: 'key-created' };
          });
        },
      },
      setState(true),
      setState(false),
      {
        path: `${PATH}/:id/delete`,
        page,
        async run(request) {
          const { visitor, params } = request;
          const own = { uid: visitor.user.uid, id: params['id'] ?? '' };
          await record(request, { action: 'deleteKey', details: own.id }, (accounts) => deleteKey(accounts, own));
          return { path: PATH, flash: 'key-deleted' };
        },
      },
    ],
  };
}

/** `createKey` validates it. */
function toPermission(form: ConsoleForm): KeyPermission {
  return form.get('permission') as KeyPermission;
}
