import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchCase, getCorpus, toRow } from '../bench-case.ts';
import { collectBlocks, readDistinctPages } from '../corpus/distinct-pages.ts';
import { type Contender, measureInTurn } from '../measure/measure-in-turn.ts';
import { runProcess } from '../measure/run-process.ts';
import { setAside } from '../measure/set-aside.ts';
import { findSpread } from '../measure/statistics.ts';
import { runDocbuild } from '../run-docbuild.ts';

/** The parts of the work that no build can do without, each alone, in a separate process. */
export const floorsCase: BenchCase = {
  name: 'floors',
  title: 'Floors: the parts of the work alone',
  needsCorpus: true,
  async run(bench) {
    const corpus = getCorpus(bench);
    const pages = readDistinctPages(corpus);
    const blocks = collectBlocks(pages);
    const pagesFile = join(bench.folder, 'pages.json');
    const blocksFile = join(bench.folder, 'blocks.json');
    writeFileSync(pagesFile, JSON.stringify(pages));
    writeFileSync(blocksFile, JSON.stringify(blocks));
    const out = join(bench.folder, 'out', 'site');
    const copy = join(bench.folder, 'copy');
    await runDocbuild({
      repository: corpus.repository,
      out,
      cache: join(bench.folder, 'cache'),
      args: ['--refs', 'v*'],
    });
    const node = (...args: string[]) => runProcess(process.execPath, args);
    const onBlocks = (way: string) => () => node(findScript('highlight-code'), blocksFile, way);
    const contenders: Contender[] = [
      { name: 'node -e 0', run: () => node('-e', '0') },
      {
        name: 'docbuild --version',
        run: () => node(fileURLToPath(new URL('../../docbuild.js', import.meta.url)), '--version'),
      },
      {
        name: 'cp -rl of the output',
        prepare: () => setAside(copy),
        run: () => runProcess('cp', ['-rl', out, copy]),
      },
      {
        name: `markdown-it, ${pages.length} distinct pages`,
        run: () => node(findScript('render-markdown'), pagesFile),
      },
      { name: `Shiki, two themes, ${blocks.length} distinct blocks`, run: onBlocks('dual') },
      { name: 'Shiki, CSS variables, the same blocks', run: onBlocks('variables') },
      { name: "docbuild's highlighter, the same blocks", run: onBlocks('own') },
    ];
    const runs = await measureInTurn(contenders, { ...bench, rounds: bench.short });
    const rows = contenders.map(({ name }) => {
      const own = runs.get(name)!;
      return toRow(name, own, insideNote(own.map(({ stdout }) => stdout)));
    });
    return { rows, targets: [] };
  },
};

function findScript(name: string): string {
  return fileURLToPath(new URL(`../scripts/${name}.js`, import.meta.url));
}

/** Returns the times a script measured itself, when it printed them. */
function insideNote(outputs: readonly string[]): string {
  if (!outputs.every((text) => text.startsWith('{'))) return '';
  const results = outputs.map((text) => JSON.parse(text) as { readonly ms: number; readonly again?: number });
  const again = results.flatMap((result) => result.again ?? []);
  const first = `inside ${findSpread(results.map(({ ms }) => ms)).median.toFixed(0)} ms`;
  return again.length === 0 ? first : `${first}, a second pass ${findSpread(again).median.toFixed(0)} ms`;
}
