import { join } from 'node:path';
import { git } from './git.ts';
import { createRandom, type Random } from './random.ts';
import { writeCodeBlock } from './synthetic-code.ts';

const PAGES_PER_FOLDER = 50;
const FOLDERS_PER_AREA = 20;
/** Blocks that stand on many pages, such as how to install. */
const COMMON_BLOCKS = 200;
const WORDS =
  `a about after all also an and any are as at be because been before but by can could day default do each even
every file first folder for from give has have how if in into is it its key know like line link list look make many may more
most name new no not now of on one only or other our out over page path people point read release run same see server set
should so some such table take text than that the their them then there these they this time to two type under up use value
version was way we well what when where which while who will with without word work would write you your`.split(/\s+/);

/** Makes a bare repository with one branch, `main`, that holds that many pages of made-up documentation. */
export function createSynthetic(
  folder: string,
  options: { readonly pages: number; readonly isFlat?: boolean },
): string {
  const { pages, isFlat = false } = options;
  const repository = join(folder, `synthetic-${pages}${isFlat ? '-flat' : ''}.git`);
  git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  const random = createRandom(pages);
  const common = Array.from({ length: COMMON_BLOCKS }, () => writeCodeBlock(random));
  const stream = ['commit refs/heads/main\ncommitter Bench <bench@example.test> 1704164645 +0000\ndata 5\nPages\n'];
  for (let i = 0; i < pages; i++) {
    const text = writePage({ number: i, pages, isFlat, random, common });
    stream.push(`M 100644 inline docs/${pagePath(i, isFlat)}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  }
  git(repository, ['fast-import', '--quiet'], stream.join(''));
  return repository;
}

/**
 * Makes a bare repository with a tag (`v0.0`, `v0.1`, …) at every so many commits, which change one of its pages: what a
 * documentation of many releases looks like.
 */
export function createVersions(
  folder: string,
  options: { readonly versions: number; readonly pages: number; readonly commitsPerVersion?: number },
): string {
  const { versions, pages, commitsPerVersion = 1 } = options;
  const repository = join(folder, `versions-${versions}-${pages}-${commitsPerVersion}.git`);
  git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  const random = createRandom(versions);
  const common = Array.from({ length: COMMON_BLOCKS }, () => writeCodeBlock(random));
  const texts = Array.from({ length: pages }, (_, number) =>
    writePage({ number, pages, isFlat: false, random, common }),
  );
  const stream: string[] = [];
  const put = (number: number): void => {
    const text = texts[number]!;
    stream.push(`M 100644 inline docs/${pagePath(number, false)}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  };
  let changed = 0;
  for (let commit = 0; commit < versions * commitsPerVersion; commit++) {
    const time = 1_704_164_645 + commit * 3_600;
    stream.push(`commit refs/heads/main\ncommitter Bench <bench@example.test> ${time} +0000\ndata 5\nPages\n`);
    if (commit === 0) for (const number of texts.keys()) put(number);
    if (commit % commitsPerVersion === 0) changed = random.number(pages);
    const lines = texts[changed]!.split('\n\n');
    lines[1 + random.number(lines.length - 1)] += ` ${capital(writeWords(random, 6))} ${commit}.`;
    texts[changed] = lines.join('\n\n');
    put(changed);
    if ((commit + 1) % commitsPerVersion > 0) continue;
    const version = Math.floor(commit / commitsPerVersion);
    stream.push(`reset refs/tags/v${Math.floor(version / 100)}.${version % 100}\nfrom refs/heads/main\n\n`);
  }
  git(repository, ['fast-import', '--quiet'], stream.join(''));
  git(repository, ['repack', '-a', '-d', '--quiet']);
  return repository;
}

/** Returns the path of a page below `docs/`. */
export function pagePath(number: number, isFlat: boolean): string {
  const name = `page-${String(number).padStart(5, '0')}.md`;
  if (isFlat) return name;
  const part = Math.floor(number / PAGES_PER_FOLDER);
  return `area-${Math.floor(part / FOLDERS_PER_AREA)}/part-${part}/${name}`;
}

interface PagePlan {
  readonly number: number;
  readonly pages: number;
  readonly isFlat: boolean;
  readonly random: Random;
  readonly common: readonly string[];
}

/** Writes a page of about 3 KB: sections of prose, a list, sometimes a table, links, and code of which half is common. */
function writePage({ number, pages, isFlat, random, common }: PagePlan): string {
  const sections = Array.from({ length: 3 + random.number(3) }, (_, index) => {
    const parts = [`## ${capital(writeWords(random, 3))} ${index}`, writeProse(random)];
    const target = random.number(pages);
    const up = isFlat ? './' : '../../';
    parts.push(`See [${writeWords(random, 2)}](${up}${pagePath(target, isFlat)}) for \`${random.pick(WORDS)}\`.`);
    if (random.number(2) === 0) parts.push(random.number(2) === 0 ? random.pick(common) : writeCodeBlock(random));
    if (random.number(3) === 0)
      parts.push(`- ${writeWords(random, 6)}\n- **${writeWords(random, 2)}** ${writeWords(random, 9)}`);
    if (random.number(6) === 0)
      parts.push(`| ${writeWords(random, 2)} | value |\n| --- | --- |\n| ${writeWords(random, 3)} | ${number} |`);
    return parts.join('\n\n');
  });
  const title = `${capital(writeWords(random, 3))} ${number}`;
  return `---\ntitle: ${title}\n---\n\n# ${title}\n\n${sections.join('\n\n')}\n`;
}

function writeProse(random: Random): string {
  return Array.from(
    { length: 4 + random.number(5) },
    () => `${capital(writeWords(random, 8 + random.number(12)))}.`,
  ).join(' ');
}

function writeWords(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ');
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
