import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { answerMove, judgeAnswer, type Verdict } from '../../../bench/history/answer-move.ts';
import { type MovesFixture, readReleases } from '../../../bench/history/moves-fixture.ts';
import { compareReleases } from '../../../builder/history/compare-releases.ts';
import { packageFile } from '../../../lib/package-file.ts';

const FOLDER = fileURLToPath(packageFile('test/builder/history/moves'));

const judged = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => judgeFixture(file.slice(0, -'.json'.length)));

test('pages of public documentation that moved between released versions are found: 95 of 100', (t) => {
  const found = judged.filter(({ verdict }) => verdict === 'right').length;
  t.true(judged.length >= 60, `only ${judged.length} cases`);
  t.true(found >= 0.95 * judged.length, `${found} of ${judged.length}:\n${list('unsure')}`);
});

test('no page of public documentation is led to another page than the one that a person found', (t) => {
  t.is(list('wrong'), '');
});

function list(verdict: Verdict): string {
  return judged
    .filter((one) => one.verdict === verdict)
    .map(({ name, from, to }) => `${name}: ${from} → ${to}`)
    .join('\n');
}

interface JudgedMove {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly verdict: Verdict;
}

function judgeFixture(name: string): readonly JudgedMove[] {
  const fixture = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as MovesFixture;
  const { older, newer, outlineOf } = readReleases(join(FOLDER, `${name}.outlines.br`));
  const changes = compareReleases(older, newer, outlineOf);
  const known = new Set(fixture.cases.map(({ from }) => `${from}.html`));
  const asked = fixture.cases.map((one): JudgedMove => {
    const answer = answerMove(changes, one);
    const to = answer.page === null ? 'nowhere' : [answer.page, answer.section].filter(Boolean).join('#');
    return { name, from: one.from, to, verdict: judgeAnswer(answer, one) };
  });
  // What nobody has read is not right.
  const unread = [...changes.moved, ...changes.merged]
    .filter(({ from, to }) => !known.has(from) && fixture.others[from] !== to)
    .map(({ from, to }): JudgedMove => ({ name, from, to, verdict: 'wrong' }));
  return [...asked, ...unread];
}
