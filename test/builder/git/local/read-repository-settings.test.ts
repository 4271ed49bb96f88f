import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, readRepositorySettings } from '../../../../builder/git/local/read-repository-settings.ts';
import { cpuTimeMs } from '../../../helpers/cpu-time.ts';
import { createFolder, createRepository } from '../../../helpers/create-repository.ts';
import test from '../../../helpers/serial-test.ts';

test('parseConfig() reads what git reads', (t) => {
  const source = createRepository(t);
  const text = `
; a comment
[core] bare = false # another
	FileMode
	noEnd =
[remote "origin"]
	url = https://host.test/a%20b.git ; where it is
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = +refs/tags/*:refs/tags/*
[Remote "Up.Stream \\"x\\" \\\\"]
	URL = "  in quotes # no comment  " outside  
[alias]
	escaped = a\\tb\\nc \\"q\\" \\\\ end
	continued = one \\
two
	backslash = \\\\
	next = value
[branch.Old]
	merge = refs/heads/old
`;
  writeFileSync(join(source.folder, '.git/config'), text);
  const expected = source.git('config', '--file', '.git/config', '--null', '--list').split('\0').slice(0, -1);
  t.true(expected.length > 10);
  const values = parseConfig(text);
  for (const entry of new Map(expected.map((line) => [line.split('\n')[0]!, line]))) {
    const [name, line] = entry;
    t.is(values.get(name), line.includes('\n') ? line.slice(name.length + 1) : 'true', name);
  }
});

test('parseConfig() passes over what is no configuration, quickly', (t) => {
  const started = cpuTimeMs();
  for (const text of [
    '',
    '[',
    '[a',
    '[a "b',
    '= x',
    '\0',
    '[a "'.repeat(50_000),
    '\\'.repeat(200_000),
    '"'.repeat(200_000),
  ]) {
    t.notThrows(() => parseConfig(text));
    t.notThrows(() => parseConfig(`[a]\nb = ${text}`));
  }
  t.true(cpuTimeMs() - started < 2_000);
});

test('readRepositorySettings() finds origin and whether objects may be missing', (t) => {
  const source = createRepository(t);
  const gitFolder = join(source.folder, '.git');
  t.deepEqual(readRepositorySettings('x', gitFolder), { origin: undefined, isPartial: false });
  source.git('remote', 'add', 'origin', 'https://u:p@host.test/x.git');
  t.deepEqual(readRepositorySettings('x', gitFolder), { origin: 'https://u:p@host.test/x.git', isPartial: false });
  appendFileSync(join(gitFolder, 'config'), '[remote "origin"]\n\tpromisor = true\n');
  t.true(readRepositorySettings('x', gitFolder).isPartial);
  t.deepEqual(readRepositorySettings('x', createFolder(t)), { origin: undefined, isPartial: false });
});
