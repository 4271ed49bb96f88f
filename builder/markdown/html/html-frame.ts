/** The raw elements that are open inside one element that Markdown made. */
export interface HtmlFrame {
  readonly open: OpenElement[];
  readonly count: Map<string, number>;
  readonly outer: HtmlFrame | undefined;
  /** Raw elements that are open around the frame. */
  readonly depth: number;
  /** Elements of the outer frame that a paragraph closes: they end behind the paragraph. */
  readonly late: string[];
}

/** An open element. */
export interface OpenElement {
  readonly name: string;
  /** What stands for its closing tag: written by the author, and left out by the author. */
  readonly closing: string;
  readonly implied: string;
}

/** Deeper raw elements lose their tags: parsers of HTML, those in browsers too, are not made for it. */
const maxDepth = 200;

/** Creates an empty frame inside another one, or for `around` elements that are open already. */
export function createFrame(outer: HtmlFrame | undefined, around = 0): HtmlFrame {
  const depth = outer === undefined ? around : outer.depth + outer.open.length;
  return { open: [], count: new Map(), outer, depth, late: [] };
}

/** Tells whether no more elements may be opened in a frame. */
export function isTooDeep(frame: HtmlFrame): boolean {
  return frame.depth + frame.open.length >= maxDepth;
}

/** Adds an element that is open from here on. */
export function openElement(frame: HtmlFrame, element: OpenElement): void {
  frame.open.push(element);
  frame.count.set(element.name, (frame.count.get(element.name) ?? 0) + 1);
}

/** Returns the closing tags that end an element of a frame, '' when none of that name is open. */
export function closeElement(frame: HtmlFrame, name: string): string {
  if (!frame.count.get(name)) return '';
  let html = '';
  for (;;) {
    const element = frame.open.pop()!;
    frame.count.set(element.name, frame.count.get(element.name)! - 1);
    if (element.name === name) return html + element.closing;
    html += element.implied;
  }
}

/** Returns the closing tags of everything that is open in a frame. */
export function closeFrame(frame: HtmlFrame): string {
  let html = '';
  for (const element of frame.open.reverse()) html += element.implied;
  frame.open.length = 0;
  frame.count.clear();
  return html;
}
