// A process that changes a store as fast as it can and says on stdout what was acknowledged; killed by its test.
import { writeSync } from 'node:fs';
import { openLowdbStore } from '../../../data/lowdb/open-lowdb-store.ts';
import { addProjects } from '../../helpers/add-projects.ts';
import { createBuild, createDelivery, createProject } from '../../helpers/create-records.ts';

const folder = process.argv[2]!;
const store = await openLowdbStore({ folder, onWarning: (message) => say('warning', message) });
await addProjects(store, 'busy');
say('open');
const run = process.pid;
await Promise.all(
  Array.from({ length: 20 }, async (_, worker) => {
    const build = createBuild({ project: 'busy', requests: 0, reason: `${run}-${worker}` });
    await store.builds.add(build);
    for (let i = 1; ; i++) {
      await store.builds.change(build.id, (one) => ({ ...one, requests: i, reason: 'x'.repeat(i % 3000) }));
      say('count', build.id, String(i));
      const name = `p${run}-${worker}-${i}`;
      await store.projects.add(createProject({ name, url: `https://code.example/o/${name}` }));
      say('project', name);
      await store.deliveries.add(createDelivery({ project: name }));
      const own = createBuild({ project: name });
      await store.builds.add(own);
      say('build', own.id, name);
      if (i % 2 === 0) {
        say('removing', name);
        await store.projects.remove(name);
        say('removed', name, own.id);
      }
    }
  }),
);

/** At once: what `process.stdout` holds back while nobody reads is lost with the process. */
function say(...words: readonly string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}
