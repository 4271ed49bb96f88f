/** The beginning of a line that opens or closes a block of code, inside quotes and lists, too. */
const FENCE = /^(?:[>\s:-]|\d{1,9}\. |\[\^\d{1,9}\]: )*(`{3,})([^`]*)$/;
/** Escaped characters, marks of code, and targets of links and pictures. */
const SIGN = /\\.|`+|\]\(([^()\s]*)\)/g;
/** Targets that mean the same everywhere, or the page itself. */
const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i;

/**
 * Returns the Markdown of a page, as docbuild publishes it, with absolute links; `pageUrl` is the URL of the page, which is added to
 * its front matter as `url`.
 */
export function absolutizeMarkdown(markdown: string, pageUrl: string): string {
  const text = moveLinks(markdown, (target) =>
    URL.canParse(target, pageUrl) ? new URL(target, pageUrl).href : undefined,
  );
  return text.replace(/^---\n/, () => `---\nurl: ${JSON.stringify(pageUrl)}\n`);
}

/** Returns the Markdown of a page with other targets of its relative links; where `move` returns undefined, they stay. */
export function moveLinks(markdown: string, move: (target: string) => string | undefined): string {
  const isCode = createCodeFinder();
  const lines = markdown
    .split('\n')
    .map((line) => (!isCode(line) && line.includes('](') ? moveLinksOf(line, move) : line));
  return lines.join('\n');
}

/**
 * Returns a function that takes the lines of a page, as docbuild publishes it, in their order, and returns whether a line is part of
 * a block of code.
 */
export function createCodeFinder(): (line: string) => boolean {
  let fence = '';
  return (line) => {
    const [, marks, info] = line.includes('```') ? (FENCE.exec(line) ?? []) : [];
    if (fence === '') {
      fence = marks ?? '';
      return marks !== undefined;
    }
    if (marks === fence && info!.trim() === '') fence = '';
    return true;
  };
}

function moveLinksOf(line: string, move: (target: string) => string | undefined): string {
  let written = '';
  let end = 0;
  /** Where the last run of backticks of each length is: none is looked for behind it. */
  const last = new Map<number, number>();
  if (line.includes('`')) for (const { 0: run, index } of line.matchAll(/`+/g)) last.set(run.length, index);
  SIGN.lastIndex = 0;
  for (let match = SIGN.exec(line); match; match = SIGN.exec(line)) {
    const [sign, target] = match;
    if (sign.startsWith('`')) {
      const isClosed = (last.get(sign.length) ?? -1) >= SIGN.lastIndex;
      if (isClosed) SIGN.lastIndex = findRun(line, sign, SIGN.lastIndex);
      continue;
    }
    const moved = target && !ABSOLUTE.test(target) ? move(target) : undefined;
    if (moved === undefined) continue;
    written += `${line.slice(end, match.index)}](${moved})`;
    end = SIGN.lastIndex;
  }
  return written + line.slice(end);
}

/** Returns the end of the next run of backticks that is as long; that of the line if there is none. */
function findRun(line: string, run: string, from: number): number {
  for (let at = line.indexOf('`', from); at >= 0; at = line.indexOf('`', at)) {
    const start = at;
    while (line[at] === '`') at++;
    if (at - start === run.length) return at;
  }
  return line.length;
}
