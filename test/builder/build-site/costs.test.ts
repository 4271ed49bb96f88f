import test from 'ava';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createSite } from '../../helpers/create-site.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

/** Files of a repository that has so many of something. */
const REPOSITORIES: Readonly<
  Record<
    string,
    {
      readonly most: number;
      readonly files: (count: number) => Readonly<Record<string, string>>;
      /** File and line of the first problem, and part of its message; undefined = there is none. */
      readonly problem?: readonly [file: string, line: number, message: RegExp];
    }
  >
> = {
  'redirects of the project file': {
    most: 20_000,
    files: (count) => ({ '.docbuild.yml': `redirects:\n${lines(count, (i) => `  old-${i}.md: index.md\n`)}` }),
  },
  'redirects that lead to dead links': {
    most: 20_000,
    files: (count) => ({ '.docbuild.yml': `redirects:\n${lines(count, (i) => `  old-${i}.md: gone-${i}.md\n`)}` }),
    problem: ['.docbuild.yml', 2, /^Redirect from "old-0\.md": .*gone-0/],
  },
  'redirects that lead through each other': {
    most: 20_000,
    files: (count) => ({
      '.docbuild.yml': `redirects:\n  old-0.md: index.md\n${lines(count, (i) => `  old-${i + 1}.md: old-${i}.md\n`)}`,
    }),
    problem: [
      '.docbuild.yml',
      23,
      /^Redirect from "old-21\.md" ignored: it leads through more than 20 others; name the page/,
    ],
  },
  'redirects of a page': {
    most: 10_000,
    files: (count) => ({ 'docs/a.md': `---\nredirect_from:\n${lines(count, (i) => `  - /old-${i}\n`)}---\n# A\n` }),
  },
  'equal headings': {
    most: 50_000,
    files: (count) => ({ 'docs/a.md': `# A\n\n${'## Same\n\n'.repeat(count)}` }),
  },
};

for (const [name, { most, files, problem }] of Object.entries(REPOSITORIES)) {
  test.serial(`buildSite() takes time in proportion to ${most} ${name}, and publishes all else`, async (t) => {
    const measure = async (count: number): Promise<number> => {
      const repository = createRepository(t);
      commitFiles(repository, { 'docs/index.md': '# Home\n', ...files(count) });
      const site = createSite(t);
      const start = cpuTimeMs();
      const { errors, warnings } = await site.build(repository.folder);
      const ms = cpuTimeMs() - start;
      t.true(site.list().includes('en/main/index.html'));
      const [first] = [...errors, ...warnings];
      if (!problem) t.is(first, undefined);
      else {
        t.deepEqual([first?.file, first?.line], problem.slice(0, 2));
        t.regex(first!.message, problem[2]);
      }
      return ms;
    };
    // Code is compiled, and the machine may be busy: twice as much as four times the time is more than noise.
    await measure(most / 40);
    const less = await measure(most / 4);
    const ms = await measure(most);
    t.log(`${Math.round(less)} ms, ${Math.round(ms)} ms`);
    t.true(ms <= 8 * Math.max(less, 500), `${less} ms for a quarter, ${ms} ms for all`);
  });
}
