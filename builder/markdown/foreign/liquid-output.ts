import type { Tag } from './parse-liquid.ts';

/** A text in which loops and conditions are replaced by what they give. */
export interface ExpandedText {
  readonly text: string;
  /** The line of the source, from 0, of each line. */
  readonly lines: readonly number[];
}

type Skips = 'nothing' | 'line' | 'blanks';

interface Mark {
  readonly length: number;
  readonly tail: readonly string[];
  readonly skips: Skips;
}

/** Number of pieces from which blanks are taken away. */
const TAIL = 3;

/** A text that is made of parts of another one and of what stands for them. */
export interface Output {
  readonly hasChanges: boolean;
  /** Copies a part of the source. */
  copy(start: number, end: number): void;
  /** Writes text that stands for something in the source. */
  write(text: string, at: number): void;
  /** Takes away the blanks before a tag that is replaced, if it says so or, for a statement, stands on a line of its own. */
  before(text: string, tag: Tag, isStatement: boolean): void;
  after(text: string, tag: Tag, isStatement: boolean): void;
  /** Runs something whose positions are in another text than the source. */
  within(at: number, run: () => void): void;
  mark(): Mark;
  /** Takes back what was written since. */
  reset(mark: Mark): void;
  finish(): ExpandedText;
}

/** Creates the output for a source. */
export function createOutput(source: string): Output {
  const pieces: { text: string; readonly at: number; readonly isCopy: boolean }[] = [];
  let skips: Skips = 'nothing';
  let fixed: number | undefined;
  let hasChanges = false;
  const add = (written: string, at: number, isCopy: boolean): void => {
    const kept =
      skips === 'nothing' ? written : skips === 'line' ? written.replace(/^[ \t]*\n?/, '') : written.trimStart();
    if (skips === 'line' || kept !== '') skips = 'nothing';
    const from = at + (written.length - kept.length);
    if (kept !== '') pieces.push({ text: kept, at: fixed ?? from, isCopy: isCopy && fixed === undefined });
  };
  const output = {
    get hasChanges() {
      return hasChanges;
    },
    copy: (start: number, end: number) => add(source.slice(start, end), start, true),
    write(text: string, at: number) {
      hasChanges = true;
      add(text, at, false);
    },
    before(text: string, tag: Tag, isStatement: boolean) {
      hasChanges = true;
      const isAlone = isStatement && standsAlone(text, tag);
      if (!tag.trimsBefore && !isAlone) return;
      for (const piece of pieces.slice(-TAIL).toReversed()) {
        piece.text = tag.trimsBefore ? piece.text.trimEnd() : trimBlanks(piece.text);
        if (piece.text !== '') return;
      }
    },
    after(text: string, tag: Tag, isStatement: boolean) {
      const isAlone = isStatement && standsAlone(text, tag);
      skips = tag.trimsAfter ? 'blanks' : isAlone ? 'line' : 'nothing';
    },
    within(at: number, run: () => void) {
      const outer = fixed;
      fixed ??= at;
      try {
        run();
      } finally {
        fixed = outer;
      }
    },
    mark: () => ({ length: pieces.length, tail: pieces.slice(-TAIL).map(({ text }) => text), skips }),
    reset({ length, tail, skips: before }: Mark) {
      pieces.length = length;
      for (const [at, text] of tail.entries()) pieces[length - tail.length + at]!.text = text;
      skips = before;
    },
    finish() {
      const starts = [0];
      for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
      const lines: number[] = [];
      let isNew = true;
      let line = 0;
      for (const { text, at, isCopy } of pieces) {
        while (line > 0 && starts[line]! > at) line--;
        while (line + 1 < starts.length && starts[line + 1]! <= at) line++;
        let place = line;
        if (isNew) lines.push(place);
        isNew = false;
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
          if (isCopy) place++;
          isNew = end === text.length - 1;
          if (!isNew) lines.push(place);
        }
      }
      return { text: pieces.map(({ text }) => text).join(''), lines };
    },
  };
  return output;
}

function trimBlanks(text: string): string {
  let end = text.length;
  while (isBlank(text[end - 1])) end--;
  return text.slice(0, end);
}

/** Returns whether nothing else is on the lines of a tag. */
function standsAlone(text: string, { start, end }: Tag): boolean {
  let [before, after] = [start, end];
  while (isBlank(text[before - 1])) before--;
  while (isBlank(text[after])) after++;
  return (before === 0 || text[before - 1] === '\n') && (after === text.length || text[after] === '\n');
}

function isBlank(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\t';
}
