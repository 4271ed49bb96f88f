import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Store } from '../../../data/store.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { testStore } from '../store-contract.ts';

const places = new WeakMap<Store, { readonly t: ExecutionContext; readonly folder: string }>();

async function openAt(t: ExecutionContext, folder: string): Promise<Store> {
  const store = await openStore(t, folder);
  places.set(store, { t, folder });
  return store;
}

testStore({
  name: 'lowdb',
  open: (t) => openAt(t, join(createFolder(t), 'store')),
  async reopen(store) {
    const { t, folder } = places.get(store)!;
    await store.close();
    return await openAt(t, folder);
  },
});
