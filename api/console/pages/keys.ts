import { DataError } from '../../../data/data-error.ts';
import type { KeyPermission } from '../../../data/records/api-key.ts';
import { deleteKey, disableKey } from '../../../platform/accounts/change-key.ts';
import { createKey, MAX_KEYS } from '../../../platform/accounts/create-key.ts';
import { presentKey } from '../../../platform/accounts/present-user.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { ConsoleAction, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../read-checked-form.ts';

const PATH = '/control/keys';

/** My API keys. */
export function keyPages({ accounts, notes, once }: ConsoleContext): ConsolePart {
  const { keys } = accounts.store;
  const common = { isForOperators: false, section: PATH };
  const page: ConsolePage = {
    ...common,
    path: PATH,
    template: 'keys.njk',
    model: async ({ ctx, visitor: { user, tokenHash } }) => ({
      keys: (await keys.listOf(user.uid)).map(presentKey).reverse(),
      most: MAX_KEYS,
      // Whoever asks for the head alone sees nothing.
      created: (ctx.method === 'GET' && notes.take(tokenHash, 'key')) || null,
      onceId: once.createId(),
    }),
  };
  const confirmation: ConsolePage = {
    ...common,
    path: `${PATH}/:id/delete`,
    template: 'key-delete.njk',
    async model({ visitor: { user }, params: { id = '' } }) {
      const key = await keys.find(id);
      if (key?.uid !== user.uid) throw new DataError('not-found', 'There is no such key');
      return { key: presentKey(key) };
    },
  };
  const setState = (isDisabled: boolean): ConsoleAction => ({
    path: `${PATH}/:id/${isDisabled ? 'disable' : 'enable'}`,
    page,
    async run({ visitor: { user }, params: { id = '' } }) {
      await disableKey(accounts, { uid: user.uid, id }, isDisabled);
      return { path: PATH, said: isDisabled ? 'key-disabled' : 'key-enabled' };
    },
  });
  return {
    pages: [page, confirmation],
    actions: [
      {
        path: PATH,
        page,
        run: ({ visitor: { user, tokenHash }, form }) =>
          once.run(tokenHash, form, async () => {
            const isDisabled = form.get('state') === 'disabled';
            const { key, raw } = await createKey(accounts, {
              uid: user.uid,
              permission: toPermission(form),
              isDisabled,
            });
            notes.put(tokenHash, 'key', { secret: raw, of: key.id });
            return { path: PATH, said: 'key-created' };
          }),
      },
      setState(true),
      setState(false),
      {
        path: `${PATH}/:id/delete`,
        page,
        async run({ visitor: { user }, params: { id = '' } }) {
          await deleteKey(accounts, { uid: user.uid, id });
          return { path: PATH, said: 'key-deleted' };
        },
      },
    ],
  };
}

/** `createKey` checks it. */
function toPermission(form: ConsoleForm): KeyPermission {
  return form.get('permission') as KeyPermission;
}
