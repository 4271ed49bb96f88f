import test from 'ava';
import { createPoll, createProject } from '../../helpers/create-records.ts';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of polls does. */
export function testPolls({ name, open, reopen }: Adapter): void {
  test.serial(`${name}: polls.change() puts, replaces and removes that of a project, with which it goes`, async (t) => {
    const { polls, projects } = await open(t);
    await throwsData(
      t,
      polls.change('guide', () => createPoll()),
      'not-found',
    );
    await projects.add(createProject());
    t.is(await polls.change('guide', (old) => old), undefined);
    t.deepEqual(await polls.change('guide', () => createPoll({ project: 'other' })), createPoll());
    t.deepEqual(await polls.change('guide', (old) => ({ ...old!, seen: undefined })), createPoll({ seen: undefined }));
    t.deepEqual(await polls.findAll(['other', 'guide']), [undefined, createPoll({ seen: undefined })]);
    t.is(await polls.change('guide', () => undefined), undefined);
    t.is(await polls.find('guide'), undefined);
    await polls.change('guide', () => createPoll());
    await projects.remove('guide');
    t.is(await polls.find('guide'), undefined);
  });

  test.serial(`${name}: polls that are due are listed in turn, also after the store was opened again`, async (t) => {
    const store = await open(t);
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    for (const [index, project] of ['alpha', 'beta', 'gamma', 'delta'].entries()) {
      await store.projects.add(createProject({ name: project, domain: '' }));
      await store.polls.change(project, () => createPoll({ nextAt: at([3, 9, 1, 2][index]!) }));
    }
    const { polls } = await reopen(store);
    const list = async (limit: number) => (await polls.listDue({ before: at(5), limit })).map(({ project }) => project);
    t.deepEqual(await list(9), ['gamma', 'delta', 'alpha']);
    t.deepEqual(await list(2), ['gamma', 'delta']);
  });
}
