import type { Random } from './create-random.ts';

/** Files of a repository by path. */
export type Files = Map<string, string | Buffer>;

const LANGUAGES = ['en', 'zh_CN', 'de', 'ar'];
const FOLDERS = ['', '', 'guide/', 'guide/deep/', 'api ü/'];
const NAMES = ['index', 'README', 'a', 'b', 'c d', 'größe', 'x.y'];
const LINKS = [
  'a.md',
  './b.md#two',
  '../guide/',
  '/guide/a',
  'c%20d.md',
  '../../zh_CN/a.md',
  'gone.md',
  '#two',
  '#gone',
];
const PICTURES = ['pic.png', '../pic.png', '/pic.png', '../../../logo.png'];
const OTHER_FILES = ['docs/pic.png', 'docs/en/pic.png', 'docs/guide/pic.png', 'logo.png', 'docs/part.js', 'part.js'];
const PARTS = ['docs/_part.md', 'docs/en/_part.md', 'docs/guide/_part.md'];
const BROKEN_PAGE = 'docs/en/broken.md';
const PROJECT_FILE = '.docbuild.yml';

/** A way to change files; false when there was nothing to change. */
type Change = (files: Files, random: Random) => boolean;

/** Changes of files, the likelier the higher the number. */
const CHANGES: readonly (readonly [weight: number, name: string, change: Change])[] = [
  [6, 'page added', (files, random) => put(files, pagePath(random), pageText(random))],
  [4, 'page changed', (files, random) => put(files, random.pick(pagesOf(files)), pageText(random))],
  [3, 'page deleted', (files, random) => pagesOf(files).length > 4 && files.delete(random.pick(pagesOf(files)))],
  [3, 'page renamed', renamePage],
  [2, 'language added', addLanguage],
  [1, 'language deleted', deleteLanguage],
  [
    3,
    'other file changed',
    (files, { pick, below }) => put(files, pick(OTHER_FILES), Buffer.from([137, 80, below(256)])),
  ],
  [1, 'other file deleted', (files, { pick }) => files.delete(pick(OTHER_FILES))],
  [2, 'part changed', (files, { pick, below }) => put(files, pick(PARTS), `Part ${below(1000)} [x](a.md)\n`)],
  [2, 'code changed', (files, { below }) => put(files, 'docs/part.js', `let x = ${below(1000)};\n`)],
  [2, 'project file', (files, random) => put(files, PROJECT_FILE, projectFile(random))],
  [1, 'project file deleted', (files) => files.delete(PROJECT_FILE)],
  [1, 'nothing (an empty commit)', () => true],
];
const WEIGHTED = CHANGES.flatMap(([weight, name, change]) => Array(weight).fill({ name, change }) as Named[]);

interface Named {
  readonly name: string;
  readonly change: Change;
}

/** Returns the files a random history begins with. */
export function createRandomFiles(random: Random): Files {
  const files: Files = new Map([[PROJECT_FILE, 'title: Random\ntheme:\n  logo: logo.png\n']]);
  for (const path of ['en/index.md', 'en/a.md', 'en/guide/a.md', 'zh_CN/a.md', 'en/b.md', 'en/c d.md']) {
    files.set(`docs/${path}`, pageText(random));
  }
  for (const path of OTHER_FILES) files.set(path, Buffer.from([137, 80, 0]));
  for (const path of PARTS) files.set(path, 'Part\n');
  files.set('docs/part.js', 'let x = 0;\n');
  return files;
}

/** Files in one version that are too many, where `LIMITS_OF_HISTORY` hold. */
const MANY_FILES = Array.from({ length: 200 }, (_, n) => `docs/many/${n}.txt`);
export const LIMITS_OF_HISTORY = { maxFiles: 150, maxPageBytes: 100_000 };

/** Pages that cannot be read, or only with an error or a warning. */
const BROKEN_TEXTS: readonly (string | Buffer)[] = [
  '---\ntitle: [\n---\n',
  '---\ntitle: One\norder: 1\ntitle: Two\n---\n\n# Broken\n\n[x](a.md)\n',
  '---\njust text\n---\n',
  Buffer.from([0x23, 0x20, 0xff, 0xfd, 0x0a]),
  Buffer.from('# Gr\xfc\xdfe\n\n[x](a.md#two)\n', 'latin1'),
  Buffer.from('\ufeff# Wide\n', 'utf16le'),
  Buffer.alloc(100_001, 'text '),
  'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n',
];

/** Changes up to three things and says which. What broke the build is repaired by the next change. */
export function changeFiles(files: Files, random: Random, defects = 0): string {
  if (files.delete(BROKEN_PAGE)) return 'broken page repaired';
  if (MANY_FILES.filter((path) => files.delete(path)).length > 0) return 'many files deleted';
  if (defects > 0 && random.chance(defects))
    return `${put(files, BROKEN_PAGE, random.pick(BROKEN_TEXTS))}: broken page`;
  if (defects > 0 && random.chance(defects / 2)) {
    for (const path of MANY_FILES) files.set(path, path);
    return 'too many files';
  }
  if (files.get(PROJECT_FILE) === 'unknown: true\n') return `${files.delete(PROJECT_FILE)}: project file repaired`;
  if (pagesOf(files).length === 0) {
    for (const [path, text] of createRandomFiles(random)) files.set(path, text);
    return 'documentation is back';
  }
  if (random.chance(0.04)) return `${put(files, BROKEN_PAGE, '---\ntitle: [\n---\n')}: broken page`;
  if (random.chance(0.03)) return `${put(files, PROJECT_FILE, 'unknown: true\n')}: broken project file`;
  if (random.chance(0.03)) {
    for (const path of [...files.keys()]) if (path.startsWith('docs/')) files.delete(path);
    return 'no documentation left';
  }
  const done: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const { name, change } = random.pick(WEIGHTED);
    if (change(files, random)) done.push(name);
  }
  return done.join(', ');
}

function put(files: Files, path: string, content: string | Buffer): boolean {
  files.set(path, content);
  return true;
}

function renamePage(files: Files, random: Random): boolean {
  const from = random.pick(pagesOf(files));
  const text = files.get(from)!;
  files.delete(from);
  return put(files, pagePath(random), text);
}

function addLanguage(files: Files, random: Random): boolean {
  const code = random.pick(LANGUAGES);
  for (const path of pagesOf(files)) {
    const below = /^docs\/en\/(.*)$/.exec(path)?.[1];
    if (below !== undefined && random.chance(0.7)) files.set(`docs/${code}/${below}`, pageText(random));
  }
  return true;
}

function deleteLanguage(files: Files, random: Random): boolean {
  const prefix = `docs/${random.pick(LANGUAGES)}/`;
  const own = pagesOf(files).filter((path) => path.startsWith(prefix));
  if (own.length === pagesOf(files).length) return false;
  for (const path of own) files.delete(path);
  return true;
}

function pagesOf(files: Files): readonly string[] {
  return [...files.keys()].filter((path) => path.endsWith('.md') && !path.includes('/_'));
}

function pagePath({ pick, chance }: Random): string {
  const name = `${pick(FOLDERS)}${pick(NAMES)}`;
  if (chance(0.6)) return `docs/${pick(LANGUAGES)}/${name}.md`;
  return chance(0.5) ? `docs/${name}.md` : `docs/${name}.${pick(LANGUAGES)}.md`;
}

function pageText({ pick, chance, below }: Random): string {
  const parts = [`${chance(0.3) ? `---\ntitle: T${below(9)}\norder: ${below(5)}\n---\n` : ''}# Page ${below(1000)}\n`];
  if (chance(0.7)) parts.push(`A [link](${pick(LINKS)}) and [another](${pick(LINKS)}).\n`);
  if (chance(0.5)) parts.push('## Two\n\nText.\n');
  if (chance(0.4)) parts.push(`![picture](${pick(PICTURES)})\n`);
  if (chance(0.4)) parts.push(`<<< @/part.js\n\n<!--@include: ${pick(['./_part.md', '../_part.md'])}-->\n`);
  if (chance(0.1)) parts.push('```js\nconst a = 1;\n```\n');
  return parts.join('\n');
}

function projectFile({ pick, chance }: Random): string {
  const rows = ['title: Random'];
  if (chance(0.3)) rows.push('nav:\n  - Start: index.md\n  - More:\n      - a.md\n      - guide/b.md');
  if (chance(0.3)) rows.push('redirects:\n  old: a.md\n  guide/old.html: ../b.md');
  if (chance(0.3)) rows.push(`theme:\n  accent: "${pick(['#123456', 'teal'])}"\n  logo: logo.png\n  footer: Foot`);
  if (chance(0.2)) rows.push(`lang: ${pick(['en,zh_CN', 'de', 'zh_CN,en,de'])}`);
  if (chance(0.2)) rows.push('excluded: feature/*');
  if (chance(0.1)) rows.push('markdown:\n  html: safe');
  if (chance(0.05)) rows.push('single: true');
  if (chance(0.05)) rows.push('sourceDir: docs/guide');
  return `${rows.join('\n')}\n`;
}
