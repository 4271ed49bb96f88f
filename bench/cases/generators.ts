import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchCase, type CaseResult, toRow } from '../bench-case.ts';
import { git } from '../corpus/git.ts';
import { measureInTurn } from '../measure/measure-in-turn.ts';
import { setAside } from '../measure/set-aside.ts';
import { runDocbuild } from '../run-docbuild.ts';

const SITES = fileURLToPath(new URL('../../../test/fixtures/sites/', import.meta.url));

/** Small whole sites of other generators, without flags: time, and that nothing in them is an error or a dead link. */
export const generatorsCase: BenchCase = {
  name: 'generators',
  title: 'Sites of other generators, without flags, empty cache',
  needsCorpus: false,
  async run(bench): Promise<CaseResult> {
    const sites = readdirSync(SITES).filter((name) => !name.endsWith('.txt'));
    const contenders = sites.map((name) => {
      const repository = join(bench.folder, name);
      cpSync(join(SITES, name), repository, { recursive: true });
      git(repository, ['init', '--quiet', '--initial-branch=main']);
      git(repository, ['add', '--all']);
      git(repository, ['commit', '--quiet', '-m', name]);
      const place = join(bench.folder, `${name}-built`);
      return {
        name,
        prepare: () => setAside(place),
        run: () => runDocbuild({ repository, out: join(place, 'site'), cache: join(place, 'cache') }),
      };
    });
    const runs = await measureInTurn(contenders, { ...bench, rounds: bench.short });
    const results = sites.map((name) => ({ name, runs: runs.get(name)!, ...runs.get(name)![0]!.summary }));
    return {
      rows: results.map(({ name, runs: own, pages, warnings }) =>
        toRow(name, own, `${pages} pages, ${warnings.length} warnings`),
      ),
      targets: results.map(({ name, errors, warnings }) => ({
        name: `${name}, errors and dead links`,
        value: errors.length + warnings.filter(({ code }) => code !== 'foreign-syntax').length,
        limit: 0,
        unit: '',
      })),
    };
  },
};
