import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { BuildError, isLanguageCode, looksLikeLanguage, packageFile } from '../builder/index.ts';
import { DataError } from '../data/data-error.ts';
import { exitCodeOf, printFailure } from './print-failure.ts';
import { printResult } from './run-command.ts';
import { writeNewFile } from './write-file.ts';

interface NewFlags {
  readonly lang: readonly string[];
  readonly title?: string;
  readonly ci: keyof typeof WORKFLOWS | 'none';
  readonly action?: string;
  readonly package?: string;
  readonly sha256?: string;
  readonly git?: boolean;
  readonly json?: boolean;
}

/** The file that each CI reads, with its template. */
const WORKFLOWS = {
  github: { path: '.github/workflows/docs.yml', template: 'github.yml' },
  gitlab: { path: '.gitlab-ci.yml', template: 'gitlab.yml' },
  woodpecker: { path: '.woodpecker/docs.yml', template: 'woodpecker.yml' },
} as const;

const MAX_LANGUAGES = 20;
const MAX_TEXT = 200;
const MAX_URL = 2_000;

/** Adds `docbuild new`, which writes a documentation to begin with. */
export function addNewCommand(program: Command): void {
  program
    .command('new')
    .description('write a documentation to begin with; existing files stay as they are')
    .argument('[folder]', 'the repository, or a new folder', '.')
    .option('-l, --lang <codes>', 'languages, the default one first, e.g. en,zh_CN', parseLanguages, ['en'])
    .option('--title <text>', "title of the site (default: the folder's name)", parseText)
    .addOption(
      new Option('--ci <kind>', 'workflow that builds and publishes the site')
        .choices([...Object.keys(WORKFLOWS), 'none'])
        .default('github'),
    )
    .option(
      '--action <ref>',
      "docbuild's action in a workflow of GitHub, pinned by a commit, such as owner/docbuild@COMMIT",
      parseAction,
    )
    .option('--package <url>', "URL of docbuild's package, for the workflows of others", parsePackage)
    .option('--sha256 <hash>', 'SHA-256 of that package, 64 hexadecimal digits', parseHash)
    .option('--git', 'create a git repository there')
    .option('--json', 'print one JSON object instead of text')
    .action(async (folder: string, flags: NewFlags) => {
      try {
        await refuseForeign(resolve(folder));
        const written = writeStart(resolve(folder), flags);
        printResult(flags, written, describeStart(written));
      } catch (error) {
        printFailure(error, flags.json ?? false);
        process.exitCode = exitCodeOf(error);
      }
    });
}

/** The written files; paths are from `folder`. */
interface Start {
  readonly folder: string;
  readonly written: readonly string[];
  /** Files that were there before and have not been touched. */
  readonly left: readonly string[];
  /** Placeholders for addresses in the workflow that was written, to be replaced before it runs. */
  readonly placeholders: readonly string[];
  readonly next: readonly string[];
}

/** Another generator's documentation is not begun but taken over. */
async function refuseForeign(folder: string): Promise<void> {
  const isEmpty = listFolder(folder).every((name) => name === '.git');
  if (isEmpty || existsSync(join(folder, '.docbuild.yml'))) return;
  const cacheFolder = mkdtempSync(join(tmpdir(), 'docbuild-new-'));
  try {
    const { planMigration } = await import('../builder/index.ts');
    const { config } = await planMigration({ repository: folder, cacheFolder });
    const advice = '"docbuild migrate" takes over its settings; afterwards this command adds the workflow';
    throw new DataError('taken', `"${folder}" has the documentation of another generator, "${config}": ${advice}`);
  } catch (error) {
    // Faults of pages do not matter here.
    if (!(error instanceof BuildError)) throw error;
  } finally {
    rmSync(cacheFolder, { recursive: true, force: true });
  }
}

function writeStart(folder: string, flags: NewFlags): Start {
  const title = flags.title ?? (basename(folder).slice(0, MAX_TEXT) || 'Documentation');
  const written: string[] = [];
  const left: string[] = [];
  makeFolder(folder);
  for (const [path, text] of listFiles(flags, title)) {
    // Pages beside others would change how those are read.
    const owner = path.startsWith('docs/') ? findOwner(folder, path, written) : undefined;
    if (owner !== undefined) left.push(owner);
    else (writeAnew(join(folder, path), text) ? written : left).push(path);
  }
  const workflow = flags.ci === 'none' ? undefined : WORKFLOWS[flags.ci].path;
  const placeholders =
    workflow !== undefined && written.includes(workflow)
      ? listPlaceholders(flags).map((word) => `${word} in ${workflow}`)
      : [];
  const added = addIgnoredLines(join(folder, '.gitignore'));
  if (added) written.push('.gitignore');
  if (flags.git) createGitRepository(folder);
  return {
    folder,
    written: written.sort(),
    left: [...new Set(left)].sort(),
    placeholders,
    next: listNext(folder, flags),
  };
}

/** Where docbuild is to be had: its repository on GitHub, and the commit that this one was made from. */
const OWN_ACTION = findOwnAction();
const NO_ACTION = '<OWNER>/docbuild@<COMMIT>';
const NO_PACKAGE = 'https://docs.example.org/PACKAGE.tgz';
const NO_HASH = 'SHA256';

/**
 * Returns docbuild's action at the commit that this package was made from; undefined where that, or the repository's address, is not known.
 * Nothing names docbuild in a registry: whoever held that name would run code with what a workflow may do.
 */
function findOwnAction(): string | undefined {
  const { repository, gitHead, version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    readonly repository?: { readonly url?: string };
    readonly gitHead?: string;
    readonly version: string;
  };
  const [, name] = /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  const isKnown = name !== undefined && !name.startsWith('OWNER/') && gitHead !== undefined;
  return isKnown ? `${name}@${gitHead} # v${version}` : undefined;
}

/** Returns what a workflow contains for want of an address. */
function listPlaceholders({ ci, action = OWN_ACTION, package: url, sha256 }: NewFlags): readonly string[] {
  if (ci === 'none') return [];
  if (ci === 'github') return action === undefined ? [NO_ACTION] : [];
  return [...(url === undefined ? [NO_PACKAGE] : []), ...(sha256 === undefined ? [NO_HASH] : [])];
}

/** Returns the files of a start by their paths. */
function listFiles(flags: NewFlags, title: string): readonly (readonly [string, string])[] {
  const { lang, ci, action = OWN_ACTION ?? NO_ACTION, package: url = NO_PACKAGE, sha256 = NO_HASH } = flags;
  const missing = listPlaceholders(flags);
  const fill = (template: string): string =>
    readFileSync(packageFile(`templates/start/${template}`), 'utf8')
      .replaceAll('__TITLE__', () => JSON.stringify(title))
      .replaceAll('__ACTION__', () => action)
      .replaceAll('__PACKAGE__', () => JSON.stringify(url))
      .replaceAll('__SHA256__', () => JSON.stringify(sha256))
      .replaceAll('__TO_SET__', () => (missing.length > 0 ? `\n# TO SET: replace ${missing.join(' and ')} below.` : ''))
      .replaceAll('__LANG__', () => (areFoundByFolder(lang) ? '' : `lang: [${lang.join(', ')}]\n`));
  const workflow = ci === 'none' ? undefined : WORKFLOWS[ci];
  return [
    ['.docbuild.yml', fill('project-file.yml')],
    ...(workflow ? [[workflow.path, fill(workflow.template)] as const] : []),
    ...lang.flatMap((code, index) => {
      const text = TEXTS.find(([, codes]) => codes.test(code))?.[0];
      // A language for which there is no text gets the English home page to translate; its other pages are shown in the
      // default language meanwhile.
      const pages = text === undefined && index > 0 ? ['index.md'] : ['index.md', 'markdown.md'];
      return pages.map(
        (page) =>
          [
            `docs/${code}/${page}`,
            fill(`${text ?? 'en'}/${page}`)
              .replaceAll('__CODE__', code)
              .replaceAll('__OTHER__', nameOther(lang)),
          ] as const,
      );
    }),
  ];
}

/** Returns a language that is none of these, as an example. */
function nameOther(lang: readonly string[]): string {
  return ['de', 'fr', 'es'].find((code) => !lang.some((own) => own.startsWith(code))) ?? 'it';
}

/** Returns whether these languages need no `lang`; without it, a folder for one more language is enough. */
function areFoundByFolder([first, ...others]: readonly string[]): boolean {
  return first === 'en' && others.every(looksLikeLanguage);
}

/** Folders of texts, and the languages that they are in. */
const TEXTS = [
  ['en', /^en(?:[-_]|$)/i],
  ['zh_CN', /^zh(?:[-_](?:cn|hans|sg)\b|$)/i],
] as const;

/**
 * Returns what owns the place of a page: the folder of its language if it has files, or `docs` if it has pages that are
 * not in folders of languages.
 */
function findOwner(folder: string, path: string, written: readonly string[]): string | undefined {
  const own = dirname(path);
  if (written.some((other) => other.startsWith(`${own}/`))) return undefined;
  if (listFolder(join(folder, own)).length > 0) return `${own}/`;
  const others = listFolder(join(folder, 'docs')).filter((name) => !isLanguageCode(name));
  return others.length > 0 ? 'docs/' : undefined;
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cannot('read', path, error);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw cannot('create folder', path, error);
  }
}

/** Writes a file that does not exist yet; returns false if it does. */
function writeAnew(path: string, text: string): boolean {
  makeFolder(dirname(path));
  try {
    writeNewFile(path, text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cannot('write', path, error);
  }
}

/** Adds the lines that `.gitignore` lacks; returns whether there were any. */
function addIgnoredLines(path: string): boolean {
  const text = readFileSync(packageFile('templates/start/gitignore'), 'utf8');
  if (writeAnew(path, text)) return true;
  try {
    const known = readFileSync(path, 'utf8');
    const names = new Set(known.split('\n').map((line) => line.trimEnd().replace(/^\/|\/$/g, '')));
    const missing = text.split('\n').filter((line) => /^[^#]/.test(line) && !names.has(line.replace(/^\/|\/$/g, '')));
    if (missing.length === 0) return false;
    appendFileSync(path, `${known === '' || known.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
    return true;
  } catch (error) {
    throw cannot('write', path, error);
  }
}

function createGitRepository(folder: string): void {
  const { error, status, stderr } = spawnSync('git', ['init', '--quiet', '--initial-branch=main'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error || status !== 0) {
    throw new DataError('unwritable', `Cannot run "git init" in "${folder}": ${error?.message ?? stderr.trim()}`);
  }
}

function cannot(what: string, path: string, cause: unknown): DataError {
  return new DataError('unwritable', `Cannot ${what} "${path}": ${(cause as Error).message}`, { cause });
}

/** Returns the commands that come next. */
function listNext(folder: string, { git }: NewFlags): readonly string[] {
  const way = relative(process.cwd(), folder);
  const path = way.startsWith('..') ? folder : way;
  const enter = way === '' ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`}`];
  // Only what git has is built.
  const commit = git ? ['git add . && git commit -m "First pages"'] : [];
  return [...enter, 'docbuild dev --open', ...commit, 'docbuild site . --out public'];
}

function describeStart({ folder, written, left, placeholders, next }: Start): string {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`)] : [];
  return [
    ...(written.length > 0 ? list(`Written to ${folder}:`, written) : [`Nothing to write to ${folder}`]),
    ...list('Left as they are:', left),
    ...list('Next:', next),
    ...list('Before the workflow runs, replace:', placeholders),
  ].join('\n');
}

function parseLanguages(text: string): readonly string[] {
  const codes = [...new Set(text.split(',').map((code) => code.trim()))];
  const bad = codes.find((code) => !isLanguageCode(code));
  if (bad !== undefined) throw new InvalidArgumentError(`"${bad}" is not a language code such as "en" or "zh_CN".`);
  if (codes.length > MAX_LANGUAGES) throw new InvalidArgumentError(`It must name at most ${MAX_LANGUAGES} languages.`);
  return codes;
}

/** The commit decides what runs with the permissions of the workflow; a branch or a tag can be moved. */
function parseAction(text: string): string {
  if (/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(text) && text.length <= MAX_TEXT) return text;
  throw new InvalidArgumentError('It must be OWNER/REPOSITORY@COMMIT, with all 40 digits of a commit.');
}

function parsePackage(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text) && text.length <= MAX_URL) return text;
  throw new InvalidArgumentError(`It must be an http(s) URL of at most ${MAX_URL} characters.`);
}

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be 64 hexadecimal digits, as sha256sum prints.');
}

function parseText(text: string): string {
  const words = text.trim();
  if (words !== '' && words.length <= MAX_TEXT) return words;
  throw new InvalidArgumentError(`It must have 1 to ${MAX_TEXT} characters.`);
}
