/** Longest beginning of a line: what is nested deeper is not indented any further, since each line repeats it. */
const MAX_PREFIX = 60;

/** Markdown that is written aside. */
interface Aside {
  readonly out: string;
  readonly gap: 0 | 1 | 2;
  readonly isLineStart: boolean;
  readonly isFresh: boolean;
  readonly isJoined: boolean;
}

/**
 * Lays out Markdown as it is written: how each line begins, blanks and lines between texts and blocks, and marks, which are written
 * with the text after them or not at all.
 */
export class MarkdownLayout {
  /** In a cell of a table, where a line cannot end. */
  inCell = false;
  #out = '';
  /** The beginning of each line. */
  #prefix = '';
  /** Line breaks before what is written next: 1 = a new line, 2 = a blank one between. */
  #gap: 0 | 1 | 2 = 0;
  #hasSpace = false;
  #hasBreak = false;
  /** A quote or an item has been opened, and nothing is in it. */
  #isFresh = false;
  /** The next block follows without a blank line. */
  #isJoined = false;
  #isLineStart = true;
  #flat = 0;
  readonly #waiting: string[] = [];
  readonly #depths = new Map<string, number>();

  /** Whether blocks are part of a line: in headings, links and cells. */
  get isFlat(): boolean {
    return this.#flat > 0;
  }

  /** Whether a text that is written next begins a line, where it could be taken for the mark of a block. */
  get isAtStart(): boolean {
    return (this.#isLineStart || this.#gap > 0 || (this.#hasBreak && !this.inCell)) && this.#waiting.length === 0;
  }

  /** Parts what follows from what was written, by a line or a blank one; returns whether that is one between blocks. */
  part(lines: 1 | 2): boolean {
    if (this.#flat > 0) {
      if (this.inCell && this.#out !== '') this.#hasBreak = true;
      else this.#hasSpace = true;
      return false;
    }
    if (this.#isFresh) return false;
    if (lines > this.#gap) this.#gap = lines;
    return true;
  }

  /** Parts what follows by so many lines, whatever was asked for before. */
  partBy(lines: 1 | 2): void {
    if (this.#flat === 0) this.#gap = lines;
  }

  space(): void {
    this.#hasSpace = true;
  }

  dropSpace(): void {
    this.#hasSpace = false;
  }

  breakLine(): void {
    if (this.#flat > 0 && !this.inCell) this.#hasSpace = true;
    else this.#hasBreak = true;
  }

  /** Lets the next block follow without a blank line. */
  join(): void {
    this.#isJoined = true;
  }

  write(text: string): void {
    this.#beginLine();
    if (this.#waiting.length > 0) this.#out += this.#waiting.splice(0).join('');
    this.#out += text;
    this.#isLineStart = false;
  }

  writeLines(text: string): void {
    this.write(this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`));
  }

  openMark(mark: string): void {
    this.#waiting.push(mark);
  }

  closeMark(mark: string, end: string): void {
    const at = this.#waiting.lastIndexOf(mark);
    if (at >= 0) this.#waiting.splice(at, 1);
    else this.#out += end;
  }

  /** Opens a mark that has no meaning inside itself; returns how to close it. */
  emphasize(mark: string): () => void {
    const depth = this.#depths.get(mark) ?? 0;
    this.#depths.set(mark, depth + 1);
    if (depth === 0) this.openMark(mark);
    return () => {
      this.#depths.set(mark, depth);
      if (depth === 0) this.closeMark(mark, mark.replace('<', '</'));
    };
  }

  /** Opens a quote or an item of a list, whose first line and further ones begin so; returns how to close it. */
  indent(first: string, rest: string): () => void {
    if (this.#flat > 0) {
      this.part(2);
      return () => this.part(2);
    }
    this.#beginLine();
    this.#out += first;
    this.#isFresh = true;
    this.#isLineStart = true;
    const before = this.#prefix;
    if (this.#prefix.length < MAX_PREFIX) this.#prefix += rest;
    return () => {
      this.#prefix = before;
      this.#isFresh = false;
      this.#hasSpace = false;
      this.#hasBreak = false;
    };
  }

  /** Makes blocks part of a line; returns how to end that. */
  flatten(): () => void {
    this.#flat++;
    return () => {
      this.#flat--;
    };
  }

  /** Writes what follows as a line of its own, and hands it over when what it returns is called. */
  writeApart(take: (text: string) => void): () => void {
    const before = this.#setAside({ out: '', gap: 0, isLineStart: true, isFresh: false, isJoined: false });
    this.#flat++;
    return () => {
      this.#flat--;
      take(this.#setAside(before).out.trim());
    };
  }

  /** Returns all that was written. */
  finish(): string {
    return this.#out.trimEnd();
  }

  #setAside({ out, gap, isLineStart, isFresh, isJoined }: Aside): Aside {
    const before = {
      out: this.#out,
      gap: this.#gap,
      isLineStart: this.#isLineStart,
      isFresh: this.#isFresh,
      isJoined: this.#isJoined,
    };
    this.#out = out;
    this.#gap = gap;
    this.#isLineStart = isLineStart;
    this.#isFresh = isFresh;
    this.#isJoined = isJoined;
    this.#hasSpace = false;
    this.#hasBreak = false;
    return before;
  }

  #beginLine(): void {
    if (this.#gap > 0 && this.#out !== '') {
      const isBlank = this.#gap === 2 && !this.#isJoined;
      this.#out += isBlank ? `\n${this.#prefix.trimEnd()}\n${this.#prefix}` : `\n${this.#prefix}`;
      this.#isLineStart = true;
    } else if (this.#hasBreak && this.#out !== '' && !this.#isLineStart) {
      this.#out += this.inCell ? '<br>' : `\\\n${this.#prefix}`;
      this.#isLineStart = !this.inCell;
    } else if (this.#hasSpace && !this.#isLineStart) this.#out += ' ';
    this.#gap = 0;
    this.#hasBreak = false;
    this.#hasSpace = false;
    this.#isJoined = false;
    this.#isFresh = false;
  }
}
