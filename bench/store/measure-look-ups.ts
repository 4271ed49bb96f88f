import type { Store } from '../../data/store.ts';

const WARM_UP = 2_000;
const COUNT = 20_000;

/** Returns the time of one round of look-ups as badge, desc and webhook do them, microseconds, as the mean of many. */
export async function measureLookUps(
  { projects, builds }: Store,
  size: { readonly projects: number; readonly builds: number },
): Promise<number> {
  // The projects that have builds, however few; the same number in every store.
  const spread = Math.min(size.projects, size.builds, 1_000);
  const ask = async (i: number): Promise<void> => {
    const name = `project-${i % spread}`;
    const project = await projects.findByDomain(`${name}.example`);
    const same = await projects.listByRepository(`code.example/o/${name}`);
    const last = await builds.findLastFinished(name, 'v0');
    const [known] = await builds.list({ project: name, ref: 'v0', limit: 1 });
    const [newest] = await builds.list({ project: name, limit: 1 });
    const found = await builds.find(last?.id ?? '');
    if (!project || same.length !== 1 || !found || !known || !newest)
      throw new Error(`"${name}" is not as it was made`);
  };
  for (let i = 0; i < WARM_UP; i++) await ask(i);
  const start = performance.now();
  for (let i = 0; i < COUNT; i++) await ask(i);
  return ((performance.now() - start) / COUNT) * 1000;
}
