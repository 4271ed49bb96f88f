import test from 'ava';
import { BuildError } from '../../../../builder/build-error.ts';
import { parseTree } from '../../../../builder/git/objects/object-reader.ts';

const oid = 'ab'.repeat(20);

function encode(...entries: readonly (readonly [mode: string, name: string])[]): Buffer {
  return Buffer.concat(entries.flatMap(([mode, name]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]));
}

test('parseTree() gives entries with their kinds, in the order of the tree', (t) => {
  const bytes = encode(['100644', 'b.md'], ['40000', 'b'], ['120000', 'link'], ['160000', 'sub'], ['100755', 'x.sh']);
  t.deepEqual(
    parseTree('1', bytes).map(({ name, kind }) => `${name} ${kind}`),
    ['b.md file', 'b folder', 'link symbolic-link', 'sub submodule', 'x.sh file'],
  );
  t.is(parseTree('1', bytes)[0]?.oid, oid);
});

for (const name of ['..', '.', '', 'a/b', '/etc']) {
  test(`parseTree() refuses the name ${JSON.stringify(name)} and says it`, (t) => {
    const error = t.throws(() => parseTree('1', encode(['100644', name])), { instanceOf: BuildError });
    t.is(error?.code, 'unsafe-name');
    t.true(error?.message.includes(JSON.stringify(name)));
  });
}

for (const name of ['.git', '.GIT', 'a\\b', 'git~1', '.g\u200cit', 'con', 'c:x', '__proto__', '<svg>']) {
  test(`parseTree() passes the name ${JSON.stringify(name)} unchanged`, (t) => {
    t.is(parseTree('1', encode(['100644', name]))[0]?.name, name);
  });
}

test('parseTree() says that a tree is damaged', (t) => {
  const whole = encode(['100644', 'a.md']);
  for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 5), encode(['644', 'a']), Buffer.from('x')]) {
    const error = t.throws(() => parseTree('1234', bytes), { instanceOf: BuildError });
    t.is(error?.code, 'damaged-repository');
    t.true(error?.message.includes('1234'));
  }
});
