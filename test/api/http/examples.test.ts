import test from 'ava';
import type { RouteExample } from '../../../api/http/route.ts';
import { findDifferences, findSchemaProblems } from '../../helpers/find-answer-problems.ts';
import { type ExampleServer, serveExamples } from '../../helpers/serve-examples.ts';

interface Content {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
  readonly 'x-examples'?: readonly RouteExample[];
}

async function readOperations(server: ExampleServer) {
  const { paths } = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

function send(server: ExampleServer, method: string, { path, headers = {}, form, json }: RouteExample) {
  const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
  const options = { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) };
  return fetch(server.origin + path, { redirect: 'manual', ...options, signal: AbortSignal.timeout(10_000) });
}

/** Sends an example and returns what is not as the document says. */
async function findProblems(server: ExampleServer, method: string, operation: Operation, example: RouteExample) {
  const answer = await send(server, method, example);
  const text = await answer.text();
  if (answer.status !== example.status) {
    return [`status ${answer.status} instead of ${example.status}: ${text.slice(0, 500)}`];
  }
  const described = operation.responses[answer.status];
  if (!described) return [`status ${answer.status} is not described`];
  const media = answer.headers.get('content-type')?.replace(/;.*/, '') ?? '';
  const content = described.content?.[media];
  if (!content) return [`${media} is not described`];
  if (media !== 'application/json') return example.answer === undefined ? [] : ['it has an answer that is not JSON'];
  const body: unknown = JSON.parse(text);
  const problems = content.schema ? findSchemaProblems(body, content.schema) : [];
  if (example.answer === undefined) return problems;
  if (!content.schema) return ['there is no schema'];
  const shown = Object.values(content.examples ?? {}).map(({ value }) => JSON.stringify(value));
  return [
    ...problems,
    ...findSchemaProblems(example.answer, content.schema).map((problem) => `the example itself: ${problem}`),
    ...findDifferences(body, example.answer, example.varies),
    ...(shown.includes(JSON.stringify(example.answer)) ? [] : ['it is not among the examples of the answer']),
  ];
}

test('examples: every one in the document is answered as it says', async (t) => {
  const server = await serveExamples(t);
  const found: string[] = [];
  let sent = 0;
  for (const { path, method, operation } of await readOperations(server)) {
    for (const example of operation['x-examples'] ?? []) {
      sent++;
      const problems = await findProblems(server, method, operation, example);
      found.push(...problems.map((problem) => `${method} ${path}: ${example.summary}: ${problem}`));
    }
  }
  t.deepEqual(found, []);
  t.true(sent > 60, `${sent} examples`);
});

test('examples: every operation has one, or its other path has', async (t) => {
  const server = await serveExamples(t);
  const operations = await readOperations(server);
  const without = operations.filter(({ operation }) => !operation['x-examples']).map(({ path }) => path);
  t.deepEqual(without, []);
});

test('find-answer-problems finds what differs', (t) => {
  t.deepEqual(findDifferences({ a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'y' } }, ['b.c']), []);
  t.deepEqual(findDifferences({ a: 1 }, { a: '1' }, ['a']), ['a is number instead of string']);
  t.deepEqual(findDifferences({ a: [1], d: 1 }, { a: [2], e: 1 }), [
    'a is [1] instead of [2]',
    'd is not in the example',
    'e is not answered',
  ]);
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  t.deepEqual(findSchemaProblems({ a: 1 }, schema), []);
  for (const wrong of [{}, { a: 'x' }, { a: 1, b: 1 }]) t.is(findSchemaProblems(wrong, schema).length, 1);
});
