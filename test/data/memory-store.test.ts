import { createMemoryStore } from '../helpers/create-memory-store.ts';
import { testStore } from './store-contract.ts';

testStore({
  name: 'memory',
  open: async () => createMemoryStore(),
  reopen: async (store) => store,
});
