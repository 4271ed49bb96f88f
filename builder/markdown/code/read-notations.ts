/** Code without its notations, and the classes they give to lines (from 0). */
export interface NotatedCode {
  readonly text: string;
  readonly classes: ReadonlyMap<number, readonly string[]>;
}

const classOfNotation = new Map([
  ['highlight', 'highlighted'],
  ['hl', 'highlighted'],
  ['focus', 'focused'],
  ['++', 'diff add'],
  ['--', 'diff remove'],
  ['error', 'error'],
  ['warning', 'warning'],
]);

/** Keeps `focus:999999` on every line of a long block from taking forever. */
const maxCount = 1_000;

const opener = /(?:\/\/+|\/\*+|\{\/\*|<!--|#+|--(?:\[\[)?|;+|%+|\(\*|\{-|'|"|@?\bREM|::|\.\.)[ \t]*$/i;
const closer = /^[ \t]*(?:\*\/\}?|--+>|\*\)|\]\]|-\})/;

/**
 * Takes `[!code highlight]`, `hl`, `focus`, `++`, `--`, `error` and `warning`, with an optional count as in
 * `[!code focus:3]`, out of the comments of a code block. A comment that stands alone on its line takes the line with
 * it and speaks of the lines below. `[!!code` is how authors show a notation: it loses one exclamation mark.
 */
export function readNotations(text: string, hasMagicComments = false): NotatedCode {
  if (hasMagicComments && text.includes('highlight-')) {
    const { text: rest, classes } = readMagicComments(text);
    if (classes.size > 0) {
      const notated = readNotations(rest);
      return notated.text === rest ? { text: rest, classes } : notated;
    }
  }
  const classes = new Map<number, string[]>();
  if (!text.includes('[!code ')) return { text: text.replaceAll('[!!code ', '[!code '), classes };
  const lines: string[] = [];
  for (const source of text.split('\n')) {
    const notated = source.includes('[!code ') ? readLine(source) : undefined;
    const first = lines.length;
    if (notated === undefined || notated.line.trim() !== '' || notated.marks.length === 0) {
      lines.push(notated?.line ?? source);
    }
    for (const [name, count] of notated?.marks ?? []) {
      for (let line = first; line < first + Math.min(count, maxCount); line++) {
        const known = classes.get(line);
        if (known === undefined) classes.set(line, [name]);
        else if (!known.includes(name)) known.push(name);
      }
    }
  }
  for (const line of classes.keys()) if (line >= lines.length) classes.delete(line);
  return { text: lines.join('\n').replaceAll('[!!code ', '[!code '), classes };
}

const magicComment =
  /^\s*(?:\/\/|#|--|<!--|\/\*|\{\/\*|%|;|"|')?\s*highlight-(next-line|start|end)\s*(?:\*\/\}?|-->)?\s*$/;

/** Docusaurus marks lines by comments of their own: `// highlight-next-line`, `// highlight-start` … `// highlight-end`. */
function readMagicComments(text: string): NotatedCode {
  const classes = new Map<number, readonly string[]>();
  const lines: string[] = [];
  let isOn = false;
  let isNext = false;
  for (const line of text.split('\n')) {
    const mark = line.length < 200 ? magicComment.exec(line)?.[1] : undefined;
    if (mark === 'next-line') isNext = true;
    else if (mark !== undefined) isOn = mark === 'start';
    else {
      if (isOn || isNext) classes.set(lines.length, ['highlighted']);
      isNext = false;
      lines.push(line);
    }
  }
  return { text: lines.join('\n'), classes };
}

function readLine(source: string): { line: string; marks: (readonly [string, number])[] } {
  const marks: (readonly [string, number])[] = [];
  let line = source;
  for (let from = 0; ; ) {
    const start = line.indexOf('[!code ', from);
    if (start < 0) return { line, marks };
    const match = /^\[!code ([\w+-]+)(?::(\d{1,6}))?\]/.exec(line.slice(start, start + 40));
    const name = classOfNotation.get(match?.[1]?.toLowerCase() ?? '');
    if (!match || name === undefined) {
      from = start + 1;
      continue;
    }
    marks.push([name, Number(match[2] ?? 1)]);
    line = cutComment(line, start, start + match[0].length);
    from = 0;
  }
}

/** Takes the notation out, and the comment marks around it when the comment says nothing else. */
function cutComment(line: string, start: number, end: number): string {
  const after = line.slice(end);
  const close = closer.exec(after.slice(0, 200))?.[0] ?? '';
  const before = line.slice(0, start);
  const open = opener.exec(before.slice(-200));
  const rest = after.slice(close.length);
  const isWhole = open !== null && (close !== '' || rest.trim() === '');
  if (!isWhole) return `${before.trimEnd()}${after}`.trimEnd();
  return `${before.slice(0, before.length - open[0].length).trimEnd()}${rest}`.trimEnd();
}
