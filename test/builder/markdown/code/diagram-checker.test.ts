import test from 'ava';
import { createDiagramChecker } from '../../../../builder/markdown/code/diagram-checker.ts';
import { packageFile } from '../../../../lib/package-file.ts';

const checker = createDiagramChecker({
  workerUrl: packageFile('dist/diagram-worker.js'),
  scriptUrl: packageFile('dist/client/diagrams/diagrams.js'),
});
test.after.always(() => checker.close());

/** One of each kind that the browser draws; a new kind whose parser needs a document would be refused here. */
const DIAGRAMS = [
  'flowchart LR\n  A["Hello <b>x</b>"] --> B\n  subgraph s\n    C\n  end\n  click A "https://example.org" "tip"',
  'graph TD;\nA-->B;',
  'sequenceDiagram\n  Alice->>Bob: Hi<br>you',
  'classDiagram\n  class A {\n    +int x\n  }\n  A <|-- B',
  'stateDiagram-v2\n  [*] --> A',
  'erDiagram\n  A ||--o{ B : has',
  'gantt\n  title x\n  section A\n  one :a1, 2014-01-01, 30d',
  'pie\n  "a": 3',
  'gitGraph\n  commit',
  'journey\n  title x\n  section s\n    a: 5: Me',
  'mindmap\n  root((x))\n    a',
  'timeline\n  title x\n  2002 : a',
  'quadrantChart\n  title x\n  A: [0.3, 0.6]',
  'requirementDiagram\n  requirement r {\n    id: 1\n    text: t\n    risk: high\n    verifymethod: test\n  }',
  'C4Context\n  Person(a, "A")',
  'sankey-beta\na,b,3',
  'xychart-beta\n  x-axis [a, b]\n  bar [1, 2]',
  'block-beta\n  a b',
  'packet-beta\n  0-15: "a"',
  'kanban\n  todo\n    a[x]',
  'architecture-beta\n  service db(database)[DB]',
  'radar-beta\n  axis a, b\n  curve c{1, 2}',
  'treemap-beta\n  "a": 3',
  '---\ntitle: X\n---\nflowchart LR\n  A --> B',
  '%%{init: {"theme": "dark"}}%%\n%% a comment\npie\n  "a": 1',
];

test('a diagram of any kind has nothing wrong with it', async (t) => {
  for (const text of DIAGRAMS) t.is(await checker.check(text), undefined, text);
});

test('a diagram that cannot be parsed has a reason, and the line if Mermaid counts what the author sees', async (t) => {
  const flow = await checker.check('flowchart LR\n  A --> B\n  C[Hello --> D');
  t.is(flow?.line, 3);
  t.regex(flow!.message, /^Expecting 'SQE'/);
  t.deepEqual(await checker.check('pie\n  "a": 1\n  "b" 3'), {
    line: 3,
    message: "Expecting token of type ':' but found `3`.",
  });
  t.is((await checker.check('---\ntitle: X\n---\npie\n  "b" 3'))?.line, undefined, 'lines are shifted');
  t.is((await checker.check('sequenceDiagram\n  Alice->>: Hi'))?.line, 2);
  const sign = await checker.check('pie\n  "a": 1\n  # 3');
  t.is(sign?.line, 3);
  t.regex(sign!.message, /^unexpected character/);
});

test('a diagram of an unknown kind has the word that is no kind', async (t) => {
  const unknown = (name: string) => ({ line: undefined, message: `Mermaid knows no type "${name}"` });
  t.deepEqual(await checker.check('flowchat LR\n  A --> B'), unknown('flowchat'));
  t.deepEqual(await checker.check('%% comment\nSequence\n'), unknown('Sequence'));
  t.deepEqual(await checker.check('---\ntitle: X\n---\nnone'), unknown('none'));
  t.deepEqual(await checker.check(''), unknown(''));
});

test('a diagram that Mermaid would refuse for its length is not parsed', async (t) => {
  t.is((await checker.check(`pie\n${'  "a": 1\n'.repeat(6_000)}`))?.message, 'it is longer than 50000 characters');
});

test('a worker that dies is a reason, and the next diagram gets another', async (t) => {
  const dying = createDiagramChecker({
    workerUrl: new URL('data:text/javascript,throw new Error("no")'),
    scriptUrl: new URL('file:///none'),
  });
  for (const text of ['pie', 'pie']) t.is((await dying.check(text))?.message, 'its parser failed: no');
  await dying.close();
});

test('parsers that do not end are stopped, and after three of them no more are started', async (t) => {
  const endless = createDiagramChecker({
    workerUrl: new URL('data:text/javascript,import "node:worker_threads"; setInterval(() => {}, 1000)'),
    scriptUrl: new URL('file:///none'),
    maxMs: 50,
  });
  const found = await Promise.all(['pie', 'pie', 'pie', 'pie'].map((text) => endless.check(text)));
  const problem = { line: undefined, message: 'its parser does not end' };
  t.deepEqual(found, [problem, problem, problem, undefined]);
  await endless.close();
});
