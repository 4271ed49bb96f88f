import test from 'ava';
import { BuildError } from '../../../../builder/build-error.ts';
import { createRenderer } from '../../../../builder/markdown/create-renderer.ts';
import { createPageCosts, refuseUnforeseen } from '../../../../builder/markdown/page/page-costs.ts';
import { TookTooLong } from '../../../../lib/run-within.ts';
import { renderPage } from '../render-page.ts';

/** Includes of a page, at which whatever looks for one fails as a mistake in docbuild would. */
const createBroken = (error: unknown): ReadonlyMap<string, string> => {
  const fail = (): never => {
    throw error;
  };
  return Object.assign(new Map([['docs/part.md', 'Part']]), { get: fail, has: fail });
};
const PLACE = { pagePath: 'docs/page.md', sourceDir: 'docs', firstLine: 5 };

for (const [kind, length] of [
  ['short', 1],
  ['long', 2_000],
] as const) {
  test(`a mistake in docbuild is an error of the page at which it shows, with its line: a ${kind} page`, (t) => {
    const text = `# Title\n\n${'Words.\n'.repeat(length)}\n<!--@include: ./part.md-->\n\nEnd\n`;
    t.regex(renderPage(text, { ...PLACE, includes: new Map([['docs/part.md', 'Part']]) }).html, /Part/);
    const includes = createBroken(new TypeError('Cannot read properties of undefined'));
    const error = t.throws<BuildError>(() => renderPage(text, { ...PLACE, includes }), { instanceOf: BuildError });
    t.is(error!.code, 'page-failed');
    t.is(
      error!.message,
      'docbuild failed at this page; please report it with the page (TypeError: Cannot read properties of undefined)',
    );
    const { line = 0 } = error!.location;
    t.true(line > 5 && line <= 5 + length + 6, `${line}`);
    t.true(error!.cause instanceof TypeError);
  });
}

test('pages after one at which docbuild failed are rendered as before', (t) => {
  const text = '# Title\n\n> - one\n>\n> <!--@include: ./part.md-->\n\n[^1]\n\n[^1]: Note\n';
  const render = () => renderPage(text, { ...PLACE, includes: new Map([['docs/part.md', 'Part']]) });
  const before = render();
  t.throws(() => renderPage(text, { ...PLACE, includes: createBroken(new TypeError('x')) }), { code: 'page-failed' });
  t.deepEqual(render(), before);
});

test('a page that waits for its turn behind one at which docbuild failed is rendered as before', async (t) => {
  const renderer = createRenderer({ html: 'raw', emoji: true, math: true, mermaid: true, allowedHosts: [] });
  const text = '# Title\n\n> - one\n>\n> <!--@include: ./part.md-->\n\n[^1]\n\n[^1]: Note\n';
  const input = { ...PLACE, text, includes: new Map([['docs/part.md', 'Part']]) };
  const expected = renderer.render(input);
  const [failed, ...others] = await Promise.allSettled([
    renderer.renderSoon({ ...input, includes: createBroken(new TypeError('x')) }),
    renderer.renderSoon(input),
    renderer.renderSoon(input),
  ]);
  t.like(failed, { status: 'rejected', reason: { code: 'page-failed' } });
  for (const other of others) t.deepEqual(other, { status: 'fulfilled', value: expected });
});

test('what ends a page is told apart: time, depth, a refusal of its own, and anything else', (t) => {
  const refuse = (error: unknown) => refuseUnforeseen({ ...createPageCosts(10), line: 4 }, error);
  const codes: readonly (readonly [unknown, string, RegExp])[] = [
    [new TookTooLong('x'), 'page-too-slow', /takes too long to render/],
    [new RangeError('Maximum call stack size exceeded'), 'page-limit', /is nested too deeply/],
    [new RangeError('Invalid array length'), 'page-failed', /\(RangeError: Invalid array length\)$/],
    ['a text', 'page-failed', /\(a text\)$/],
    [new Error('x'.repeat(9_000)), 'page-failed', /\(Error: x{193}\)$/],
  ];
  for (const [error, code, message] of codes) {
    const refusal = refuse(error);
    t.is(refusal.code, code as never);
    t.regex(refusal.message, message);
    t.deepEqual(refusal.location, { line: 14 });
  }
  const own = new BuildError('page-limit', 'Its own', { location: { line: 7 } });
  const thrown = t.throws<BuildError>(() =>
    renderPage('<!--@include: ./part.md-->\n', { ...PLACE, includes: createBroken(own) }),
  );
  t.is(thrown, own);
});
