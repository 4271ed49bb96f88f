import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { string: 'text', number: 'number', boolean: 'boolean', object: 'object', list: 'list', texts: 'list of text' },
  zh_CN: { string: '文本', number: '数字', boolean: '布尔值', object: '对象', list: '列表', texts: '文本列表' },
};

/** Returns the fields of a page's tables with their types, those of results or those of failures. */
function readFields(language: string, isFailure: boolean): ReadonlyMap<string, string> {
  const page = readFileSync(new URL(`../../../docs/${language}/site-json.md`, import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w.[\]]+)` \| ([^|]+) \| [^|]+ \|$/gm)];
  const fields = rows.map(([, field, type]) => [field!, type!] as const);
  return new Map(fields.filter(([field]) => /^error\b/.test(field) === isFailure));
}

/** Returns the fields of a value with their types, as the documentation writes them. */
function listFields(value: object, language: string, before = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, one] of Object.entries(value)) {
    const field = before + key;
    const isTexts = Array.isArray(one) && one.every((item) => typeof item === 'string');
    const type = isTexts ? (one.length > 0 ? 'texts' : 'list') : Array.isArray(one) ? 'list' : typeof one;
    found.set(field, TYPES[language]![type]!);
    const inner = isTexts ? [] : Array.isArray(one) ? one : typeof one === 'object' ? [one] : [];
    const prefix = Array.isArray(one) ? `${field}[].` : `${field}.`;
    for (const item of inner) for (const [name, kind] of listFields(item, language, prefix)) found.set(name, kind);
  }
  return found;
}

test.serial('the documentation has exactly the fields that a build prints with --json, with their types', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'mkdocs.yml': 'site_name: Guide\n',
    'docs/en/index.md': '# Home\n\nWords.\n\n## More\n\n[gone](gone.md)\n',
    'docs/en/a.md': '# A\n',
    'docs/en/b.md': '---\ntitle: [\n---\n# B\n',
    'docs/zh_CN/index.md': '# 首页\n',
    'docbuild.config.mjs': "export default { extensions: [{ name: 'plain', markdown() {} }] };\n",
  });
  repository.git('branch', 'feature/x');
  const folder = createFolder(t);
  const clone = join(folder, 'clone');
  repository.git('clone', '--quiet', '.', clone);
  const cacheFile = join(clone, 'docbuild.config.mjs');
  const { code, stdout, stderr } = await runDocbuild(
    ['site', '.', '--out', join(folder, 'out'), '--cache', cacheFile, '--json', '--refs', 'main'],
    { cwd: clone },
  );
  t.is(code, 0, stderr);
  const result = JSON.parse(stdout);
  t.is(result.format, 1);
  t.regex(result.cacheFailure, /ENOTDIR|EEXIST/);
  const left = await runDocbuild(
    ['site', '.', '--out', join(folder, 'all'), '--cache', join(folder, 'cache'), '--json'],
    { cwd: repository.folder },
  );
  const { leftOut } = JSON.parse(left.stdout);
  t.deepEqual(leftOut, { count: 1, names: ['feature/x'] });
  for (const language of ['en', 'zh_CN']) {
    const printed = listFields({ ...result, leftOut }, language);
    t.deepEqual([...readFields(language, false)].sort(), [...printed].sort(), language);
  }
});

test.serial('the documentation has exactly the fields of a failure', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/a.md': '# A\n', '.docbuild.yml': 'title: [\n' });
  const site = createSite(t);
  const args = ['site', repository.folder, '--out', site.out, '--cache', site.cacheFolder, '--json'];
  const failure = JSON.parse((await runDocbuild(args)).stdout);
  for (const language of ['en', 'zh_CN']) {
    t.deepEqual([...readFields(language, true)].sort(), [...listFields(failure, language)].sort(), language);
  }
});
