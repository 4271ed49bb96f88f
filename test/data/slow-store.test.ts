import { createSlowStore } from '../helpers/create-slow-store.ts';
import { testStore } from './store-contract.ts';

testStore({
  name: 'a store that waits',
  open: async () => createSlowStore(),
  reopen: async (store) => store,
});
