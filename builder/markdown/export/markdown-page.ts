import type { CodeSlot } from '../draft.ts';
import { MarkdownLayout } from './layout.ts';

/** Ends an element of a page. */
export type ElementEnd = (page: MarkdownPage) => void;

interface OpenList {
  readonly isOrdered: boolean;
  next: number;
  /** Blank lines part its items. */
  isLoose: boolean;
}

export interface OpenTable {
  /** Cells of each row. */
  readonly rows: string[][];
  readonly alignments: string[];
}

/** What is open on a page while it is written as Markdown, and what its elements share. */
export class MarkdownPage {
  readonly layout = new MarkdownLayout();
  readonly lists: OpenList[] = [];
  readonly tables: OpenTable[] = [];
  /** Text that is wanted as it is: of code, of titles. */
  captured: { text: string; slot: CodeSlot | undefined } | undefined;
  hasTitle = false;
  /** A link is open; links contain no links. */
  inLink = false;
  /** Title of the block of code that comes next. */
  codeTitle = '';
  /** Number of the next note where notes are open. */
  footnote: number | undefined;
  inDiagram = false;
  /** Number of items of lists that are open. */
  openItems = 0;
  /** Title of the kind of the alert that has just been opened. */
  alertTitle: string | undefined;

  /** Of callouts, by their kinds. */
  readonly titles: Readonly<Record<string, string>>;
  readonly #links: ReadonlyMap<string, number>;

  /** `links` has the numbers of links by their slots. */
  constructor(titles: MarkdownPage['titles'], links: ReadonlyMap<string, number>) {
    this.titles = titles;
    this.#links = links;
  }

  /** Returns the number of the link that the value of an attribute stands for. */
  linkOf(value: string): number | undefined {
    const [, slot] = value.startsWith('\0') ? (/^\0(\d+)\0$/.exec(value) ?? []) : [];
    return slot === undefined ? undefined : this.#links.get(slot);
  }

  part(lines: 1 | 2): void {
    if (this.layout.part(lines) && lines === 2 && this.lists.length > 0) this.lists.at(-1)!.isLoose = true;
  }

  /** Hands over the text of an element as it is. */
  capture(take: (text: string, slot: CodeSlot | undefined) => void): ElementEnd {
    const text = { text: '', slot: undefined };
    this.captured = text;
    return () => {
      if (this.captured === text) this.captured = undefined;
      take(text.text, text.slot);
    };
  }
}
