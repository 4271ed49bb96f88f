// A process whose files may not grow beyond a limit: fills a store until a change is refused, and says what happened.
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { createProject } from '../../helpers/create-records.ts';
import { fillStore } from './fill-store.ts';

const store = await openLowdbStore({ folder: process.argv[2]!, onWarning: (message) => console.error(message) });
await store.projects.add(createProject({ name: 'first' }));
console.log(JSON.stringify(await fillStore(store)));
await store.close();
