import { DataError } from '../../../data/data-error.ts';
import type { KeyPermission } from '../../../data/records/api-key.ts';
import { createKey, deleteKey, disableKey, MAX_KEYS, presentKey } from '../../../platform/accounts/api-keys.ts';
import type { ConsoleAction, ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/keys';

/** The visitor's own API keys. */
export function keyPages({ accounts, flashSecrets, idempotency }: ConsoleContext): ConsolePart {
  const { keys } = accounts.store;
  const common = { isForOperators: false, section: PATH };
  const page: ConsolePage = {
    ...common,
    path: PATH,
    template: 'keys.njk',
    model: async ({ ctx, visitor: { user, tokenHash } }) => ({
      keys: (await keys.listOf(user.uid)).map(presentKey).reverse(),
      most: MAX_KEYS,
      // HEAD shows nothing, so it must not use up the secret.
      created: (ctx.method === 'GET' && flashSecrets.take(tokenHash, 'key')) || null,
      submissionId: idempotency.createId(),
    }),
  };
  const confirmation: ConsolePage = {
    ...common,
    path: `${PATH}/:id/delete`,
    template: 'key-delete.njk',
    async model({ visitor: { user }, params: { id = '' } }) {
      const key = await keys.find(id);
      if (key?.uid !== user.uid) throw new DataError('not-found', 'Key not found');
      return { key: presentKey(key) };
    },
  };
  const setState = (isDisabled: boolean): ConsoleAction => ({
    path: `${PATH}/:id/${isDisabled ? 'disable' : 'enable'}`,
    page,
    async run({ visitor: { user }, params: { id = '' } }) {
      await disableKey(accounts, { uid: user.uid, id }, isDisabled);
      return { path: PATH, flash: isDisabled ? 'key-disabled' : 'key-enabled' };
    },
  });
  return {
    pages: [page, confirmation],
    actions: [
      {
        path: PATH,
        page,
        run: ({ visitor: { user, tokenHash }, form }) =>
          idempotency.run(tokenHash, form, async () => {
            const isDisabled = form.get('state') === 'disabled';
            const { key, raw } = await createKey(accounts, {
              uid: user.uid,
              permission: toPermission(form),
              name: form.get('name'),
              isDisabled,
            });
            flashSecrets.put(tokenHash, 'key', { secret: raw, of: key.id });
            return { path: PATH, flash: 'key-created' };
          }),
      },
      setState(true),
      setState(false),
      {
        path: `${PATH}/:id/delete`,
        page,
        async run({ visitor: { user }, params: { id = '' } }) {
          await deleteKey(accounts, { uid: user.uid, id });
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
