import test from 'ava';
import type { Warning } from '../../../builder/model.ts';
import { formatProblem, formatProblems } from '../../../builder/plan/build-summary.ts';

const dead = (line: number, { ref = 'main', message = 'Link "gone.md" leads to no page or file' } = {}): Warning => ({
  ref,
  file: 'docs/a.md',
  line,
  code: 'dead-link',
  message,
});

test('formatProblems() lists advice after all other problems where there is no room for all', (t) => {
  const advice = { ...dead(1, { message: 'Second heading' }), code: 'second-title' } as const;
  const other = dead(9, { message: 'Other' });
  t.deepEqual(formatProblems([advice, other], 2).rows, ['main docs/a.md:1: Second heading', 'main docs/a.md:9: Other']);
  t.deepEqual(formatProblems([advice, other], 1), { rows: ['main docs/a.md:9: Other'], left: 1 });
});

test('formatProblems() tells every line of a problem that a page has in several places', (t) => {
  const found = [dead(3), dead(7), dead(7), dead(14), dead(9, { message: 'Other' })];
  t.deepEqual(formatProblems(found, 20), {
    rows: ['main docs/a.md:3, :7, :14: Link "gone.md" leads to no page or file', 'main docs/a.md:9: Other'],
    left: 0,
  });
  t.is(formatProblem({ ...dead(0), ref: '' }), 'docs/a.md: Link "gone.md" leads to no page or file');
});

test('formatProblems() counts versions that have the same problem, whatever its lines there', (t) => {
  const found = [dead(3), dead(7), dead(4, { ref: 'v1' }), dead(8, { ref: 'v1' }), dead(5, { ref: 'v0' })];
  t.deepEqual(formatProblems(found, 20).rows, [
    'main docs/a.md:3, :7: Link "gone.md" leads to no page or file (and 2 other versions)',
  ]);
});

test('formatProblems() counts what is left as it counts what there is', (t) => {
  const found = [
    dead(1, { message: 'A' }),
    dead(2, { message: 'A' }),
    dead(3, { message: 'B' }),
    dead(4, { message: 'B' }),
  ];
  t.deepEqual(formatProblems(found, 1), { rows: ['main docs/a.md:1, :2: A'], left: 2 });
});

test('formatProblems() counts lines that are too many for one line of text', (t) => {
  const { rows, left } = formatProblems(
    Array.from({ length: 100 }, (_, index) => dead(index + 1)),
    20,
  );
  t.regex(rows[0]!, /^main docs\/a\.md:1, :2, .*:20 and 80 more lines: Link/);
  t.is(left, 0);
});
