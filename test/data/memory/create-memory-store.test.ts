import { createMemoryStore } from '../../../data/memory/create-memory-store.ts';
import { testStore } from '../store-contract.ts';

testStore({
  name: 'memory',
  open: async () => createMemoryStore(),
  reopen: async (store) => store,
});
