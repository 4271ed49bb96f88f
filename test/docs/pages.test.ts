import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parse } from 'yaml';
import * as z from 'zod';
import { LIMIT_SETTINGS, type LimitSetting } from '../../builder/build-limits.ts';
import { buildSite, TEMPLATE_VARIABLES, TEMPLATES } from '../../builder/index.ts';
import { loadProjectFileSchema } from '../../builder/plan/project-file.ts';
import { SITE_OPTIONS, type SiteOption } from '../../builder/plan/site-options.ts';
import { configSchema } from '../../platform/config/config-schema.ts';
import { isLive } from '../../platform/config/settings.ts';
import { ERROR_CODES } from '../../platform/failures/error-codes.ts';
import { createFolder } from '../helpers/create-repository.ts';

const root = new URL('../../../', import.meta.url);
const LANGUAGES = ['en', 'zh_CN'] as const;
const listPages = (language: string): readonly string[] =>
  readdirSync(new URL(`docs/${language}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
const nameFolder = (page: string): string => page.slice(0, page.lastIndexOf('/') + 1);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

function readMatter(path: string): { readonly title?: string; readonly description?: string } {
  return parse(/^---\n(.*?)\n---\n/s.exec(read(path))?.[1] ?? '{}') as object;
}

test('documentation: both languages have the same pages, each once in the navigation', (t) => {
  t.deepEqual(listPages('zh_CN'), listPages('en'));
  const listed = JSON.stringify((parse(read('.docbuild.yml')) as { readonly nav: unknown }).nav).match(
    /[\w-]+(?:\/[\w-]+)*\.md/g,
  );
  t.deepEqual([...listed!].sort(), listPages('en'));
});

test('documentation: it builds without an error or a warning, dead links and anchors among them', async (t) => {
  const repository = createFolder(t);
  for (const name of ['docs', '.docbuild.yml']) {
    cpSync(fileURLToPath(new URL(name, root)), join(repository, name), { recursive: true });
  }
  const work = createFolder(t);
  const summary = await buildSite({ repository, out: join(work, 'site'), cacheFolder: join(work, 'cache') });
  t.true(summary.pages >= 2 * listPages('en').length);
  t.deepEqual([...summary.errors, ...summary.warnings], []);
  const published = readdirSync(join(work, 'site'), { recursive: true, encoding: 'utf8' });
  t.deepEqual(
    published.filter((path) => path.includes('decisions')),
    [],
  );
});

/** Returns the names of the attacks, as whoever asks for another one is told. */
function listAttacks(): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, ['dist/bench/attacks/main.js', 'none'], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  });
  if (status !== 2) throw new Error(stderr);
  return /attacks: (.*)\n/.exec(stderr)![1]!.split(', ');
}

/** A key of the configuration, as JSON Schema has it. */
interface Key {
  readonly type?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Key>>;
}

/** Lists the keys that have a value of their own, `api.port` and the like. */
const listKeys = ({ properties = {} }: Key, before = ''): readonly (readonly [string, Key])[] =>
  Object.entries(properties).flatMap(([name, key]) =>
    key.properties ? listKeys(key, `${before}${name}.`) : [[before + name, key] as const],
  );

function writeDefault(usual: unknown): string {
  if (usual === undefined || usual === '') return '–';
  if (typeof usual !== 'object') return `\`${usual}\``;
  const entries = Object.values(usual as Readonly<Record<string, Readonly<Record<string, number>>>>);
  return entries.map((entry) => `\`${Object.values(entry).join(': ')}\``).join(', ') || '–';
}

function writeRange({ type, minimum, maximum }: Key): string {
  if (type === 'boolean') return '`true`, `false`';
  return type === 'integer' ? `${minimum} – ${maximum}` : '';
}

for (const language of LANGUAGES) {
  test(`documentation in ${language}: a folder's first page lists all others; each has a description`, (t) => {
    const all = listPages(language);
    for (const folder of new Set(all.map(nameFolder))) {
      // The first page of a folder stands among the pages beside the folder.
      const inside = all.filter(
        (page) => nameFolder(page) === folder && (folder === '' || page !== `${folder}index.md`),
      );
      const below = all.filter((page) => folder === '' && /^[^/]+\/index\.md$/.test(page));
      const pages = [...inside, ...below];
      const index = read(`docs/${language}/${folder}index.md`);
      const listed = pages.filter((page) => page === 'index.md' || index.includes(`](${page.slice(folder.length)})`));
      t.deepEqual(listed, pages);
      const matters = pages.map((page) => readMatter(`docs/${language}/${page}`));
      t.true(matters.every(({ description = '' }) => description !== ''));
    }
  });

  test(`documentation in ${language}: each row about security names tests and attacks that exist`, (t) => {
    const attacks = listAttacks();
    t.true(attacks.includes('holders'));
    const rows = [...read(`docs/${language}/security.md`).matchAll(/^\| (.+) \| .+ \| (.+) \|$/gm)].slice(2);
    t.true(rows.length > 40);
    for (const [, threat, cell] of rows) {
      const named = [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
      t.true(named.length > 0, threat);
      for (const name of named) {
        const [, command, one] = /^npm run (faults|attacks) -- (\S+)$/.exec(name) ?? [];
        if (command === 'faults') t.true(read('bench/faults/main.ts').includes(`${one!.slice(2)}: { type:`), name);
        else if (command === 'attacks' || /^[\w-]+$/.test(name)) t.true(attacks.includes(one ?? name), name);
        else t.true(/^(?:test\/|\.ci\/)/.test(name) && existsSync(new URL(name, root)), name);
      }
    }
  });

  test(`documentation in ${language}: its table of limits is that of the engine, with options, keys and defaults`, (t) => {
    const rows = read(`docs/${language}/site.md`).matchAll(
      /^\| [^|]+ \| `(--\S+) \w+` \| `(\w+)` \| ([\d,]+) (\w+) \|/gm,
    );
    t.deepEqual(
      [...rows].map(([, option, key, usual, unit]) => ({ option, key, usual: Number(usual!.replace(',', '')), unit })),
      Object.values<LimitSetting>(LIMIT_SETTINGS).map(({ option, key, usual, unit }) => ({ option, key, usual, unit })),
    );
  });

  test(`documentation in ${language}: every option of docbuild site and every key of the project file has a row`, async (t) => {
    const flags = Object.values<SiteOption>(SITE_OPTIONS).flatMap(({ flag }) => /--[\w-]+/.exec(flag ?? '') ?? []);
    const rows = (page: string): string =>
      [...read(`docs/${language}/${page}`).matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell).join('\n');
    t.true(flags.length > 10);
    t.deepEqual(
      [...flags, '--code-host', '--json'].filter((flag) => !rows('site.md').includes(flag)),
      [],
    );
    t.deepEqual(
      Object.keys((await loadProjectFileSchema()).shape).filter(
        (key) => !rows('project-file.md').includes(`\`${key}\``),
      ),
      [],
    );
  });

  test(`documentation in ${language}: it names the keys that apply to the whole site`, (t) => {
    const line = read(`docs/${language}/project-file.md`)
      .split('\n')
      .find((text) => text.startsWith('`title`'))!;
    const keys = Object.values<SiteOption>(SITE_OPTIONS).flatMap(({ key, isOfVersion }) =>
      isOfVersion ? [] : (key ?? []),
    );
    t.deepEqual([...line.matchAll(/`(\w+)`/g)].map(([, key]) => key).sort(), [...keys, 'theme'].sort());
  });

  test(`documentation in ${language}: its table of codes of failures is that of the service`, (t) => {
    const rows = read(`docs/${language}/operating.md`).matchAll(/^\| `([\w-]+)` \| (\d{3}) \| (.+) \|$/gm);
    t.deepEqual(
      [...rows].map(([, code, status, text]) => [code, Number(status), language === 'en' ? text : '']),
      Object.entries(ERROR_CODES).map(([code, { status, text }]) => [code, status, language === 'en' ? text : '']),
    );
  });

  test(`documentation in ${language}: its table of the configuration has the keys, defaults and ranges of the schema`, (t) => {
    const rows = read(`docs/${language}/configuration.md`).matchAll(
      /^\| `([\w.]+)`( ↻)? \| (.+?) \| (.+?) \| .+ \|$/gm,
    );
    const shown = [...rows].map(([, key, live, usual, values]) => [key, live !== undefined, usual, values] as const);
    const keys = listKeys(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Key);
    t.true(keys.length > 80);
    t.deepEqual(
      shown.map(([key, live, usual, values]) => [key, live, usual, /^\d+ – \d+$|^`true/.test(values!) ? values : '']),
      keys.map(([key, schema]) => [key, isLive(key), writeDefault(schema.default), writeRange(schema)]),
    );
  });
}

test('documentation: messages of "Troubleshooting" are those of the code, the same in both languages', (t) => {
  const listMessages = (language: string) =>
    [...read(`docs/${language}/troubleshooting.md`).matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, text]) => text!);
  const messages = listMessages('en');
  t.true(messages.length > 20);
  t.deepEqual(listMessages('zh_CN'), messages);
  const sources = ['api', 'builder', 'cli', 'lib', 'platform', 'service'].flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => read(`${room}/${path}`).replaceAll("\\'", "'")),
  );
  const isSaid = (message: string): boolean =>
    sources.some((source) => message.split('…').every((part) => source.includes(part)));
  t.deepEqual(
    messages.filter((message) => !isSaid(message)),
    [],
  );
});

test('decisions: the index has a row for each, with its title, date and status', (t) => {
  const rows = readdirSync(new URL('docs/decisions/', root))
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => {
      const [, status, date, title] = /^---\nstatus: (.+)\ndate: (.+)\npublished: false\n---\n\n# (.+)\n/.exec(
        read(`docs/decisions/${name}`),
      )!;
      return `| ${name.slice(0, 4)} | [${title}](docs/decisions/${name}) | ${date} | ${status} |`;
    });
  t.deepEqual(read('DECISIONS.md').match(/^\| \d.*$/gm), rows);
});

for (const name of ['README.md', 'README.zh_CN.md']) {
  test(`${name}: it has the two commands that set up and test, and leads to files that exist`, (t) => {
    const text = read(name);
    const commands = [...text.matchAll(/^npm .*$/gm)].map(([line]) => line);
    t.deepEqual(commands, ['npm ci && npm start', 'npm ci && npm test']);
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
    t.true(targets.length > 20);
    t.deepEqual(
      targets.filter((target) => !existsSync(new URL(target, root))),
      [],
    );
  });
}

test('documentation: templates and their variables are those that there are', (t) => {
  const written = [TEMPLATES, ...Object.values(TEMPLATE_VARIABLES)].map((rows) => Object.entries(rows));
  for (const language of LANGUAGES) {
    const tables = read(`docs/${language}/templates.md`)
      .split(/^\| --- .*\n/m)
      .slice(1)
      .map((part) => [...part.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, name, meaning]) => [name!, meaning!]));
    const names = (rows: readonly (readonly string[])[]): readonly string[] => rows.map(([name]) => name!);
    t.deepEqual(tables.map(names), written.map(names), language);
    if (language === 'en')
      t.deepEqual(
        tables.map((rows) => rows.map(([name, text]) => [name, text!.replaceAll('\\|', '|')])),
        written,
      );
  }
});

test('documentation: tokens are those of the style sheets, each with a picture, and no picture is left over', (t) => {
  const css = readdirSync(new URL('templates/site/css/', root))
    .map((name) => read(`templates/site/css/${name}`))
    .join('\n');
  const pictures = readdirSync(new URL('docs/images/tokens/', root)).sort();
  for (const language of LANGUAGES) {
    const rows = [...read(`docs/${language}/theme.md`).matchAll(/^(`--.*\n: .*\n\n.*)$/gm)].map(([, row]) => row!);
    const tokens = rows.map((row) => [...row.matchAll(/`(--[\w-]+)`/g)].map(([, name]) => name!));
    const named = rows.map((row) => /images\/tokens\/([\w-]+\.webp)/.exec(row)?.[1]);
    t.deepEqual([...named].sort(), pictures, language);
    const isUsed = (name: string): boolean => css.includes(`${name}:`) || css.includes(`var(${name}`);
    t.deepEqual(
      tokens.flat().filter((name) => !isUsed(name)),
      [],
      language,
    );
    t.true(tokens.flat().length > 40);
  }
});
