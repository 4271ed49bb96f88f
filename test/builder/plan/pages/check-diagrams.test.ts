import test from 'ava';
import { openCache } from '../../../../builder/cache/cache.ts';
import { createDiagramChecker } from '../../../../builder/markdown/code/diagram-checker.ts';
import { createDiagramWarnings } from '../../../../builder/plan/pages/check-diagrams.ts';
import { packageFile } from '../../../../lib/package-file.ts';
import { createFolder } from '../../../helpers/create-repository.ts';

test('createDiagramWarnings() does not parse without end what takes long, and the diagrams after it as before', async (t) => {
  const cache = openCache({ folder: createFolder(t), maxBytes: 1e6, engineVersion: 'test' });
  const parser = createDiagramChecker({
    workerUrl: packageFile('dist/diagram-worker.js'),
    scriptUrl: packageFile('dist/client/diagrams/diagrams.js'),
    // It takes seconds, and many of them on a busy machine.
    maxMs: 200_000,
  });
  t.teardown(async () => {
    cache.close();
    await parser.close();
  });
  const parsed: number[] = [];
  const check = (text: string) => {
    parsed.push(text.length);
    return parser.check(text);
  };
  const warn = createDiagramWarnings({ cache, checker: { ...parser, check } });
  // Mermaid's parser takes time by the square of its length.
  const slow = (name: string) => `graph TD\n${`${name} & `.repeat(6_000)}B`;
  const texts = [...Array.from({ length: 100 }, (_, at) => slow(`a${at}`)), 'x'.repeat(50_001), 'pie\n  "b" 3'];
  const found = await warn(texts.map((text, at) => ({ text, line: at + 1, textLine: at + 2 })));
  t.true(parsed.filter((length) => length > 20_000 && length < 50_000).length <= 2, parsed.join());
  t.deepEqual(
    found.map(({ line, code }) => [line, code]),
    [
      [101, 'diagram'],
      [104, 'diagram'],
    ],
  );
});
