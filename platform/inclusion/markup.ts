import { compile, selectAll } from 'css-select';
import { DomHandler, Parser } from 'htmlparser2';

/** A parsed page. */
interface Markup {
  readonly root: DomHandler['root'];
  /** HTML up to its `</html>`. Without it the connection may have ended in the middle, which HTTP/1.0 cannot tell. */
  readonly isWhole: boolean;
}

/** Result pages nest a few dozen levels. */
const MAX_DEPTH = 200;
/** They have a few thousand tags, which cost most, and some ten thousand texts and attributes. */
const MAX_COST = 80_000;
const TAG_COST = 4;

class TooComplexError extends Error {}

/**
 * Parses HTML, or XML without custom entities, as browsers do. Returns undefined for a page that is deeper or larger than any
 * result page: the time of a parser grows with the square of the depth.
 */
export function parseMarkup(text: string, { xmlMode = false } = {}): Markup | undefined {
  const dom = new DomHandler(null, { xmlMode });
  let depth = 0;
  let cost = 0;
  let isWhole = false;
  const pay = (price: number): void => {
    cost += price;
    if (cost > MAX_COST) throw new TooComplexError();
  };
  const parser = new Parser(
    {
      onparserinit: (own) => dom.onparserinit(own),
      onopentag(name, attributes) {
        pay(TAG_COST);
        if (++depth > MAX_DEPTH) throw new TooComplexError();
        dom.onopentag(name, attributes);
      },
      onclosetag(name, isImplied) {
        isWhole ||= name === 'html' && !isImplied;
        depth--;
        dom.onclosetag();
      },
      onattribute: () => pay(1),
      ontext(data) {
        pay(1);
        dom.ontext(data);
      },
      oncomment: () => pay(1),
      onprocessinginstruction: () => pay(1),
      oncdatastart() {
        pay(TAG_COST);
        dom.oncdatastart();
      },
      oncdataend: () => dom.oncdataend(),
      onend: () => dom.onend(),
    },
    { xmlMode },
  );
  try {
    parser.end(text);
    return { root: dom.root, isWhole };
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}

/** An element of a parsed page. */
export type MarkupElement = Extract<Markup['root']['children'][number], { readonly attribs: unknown }>;

/** Creates a function that returns all elements of a page that match a selector. */
export function createFinder(selector: string, { xmlMode = false } = {}): (page: Markup) => readonly MarkupElement[] {
  const options = { xmlMode };
  const isMeant = compile(selector, options);
  return (page) => selectAll(isMeant, page.root, options) as readonly unknown[] as MarkupElement[];
}

/** Returns an attribute's value; undefined where there is none. */
export function attributeOf(element: MarkupElement, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}

/**
 * Calls `enter` for each element of a page in order, with the state that the call for its parent returned. The time is linear
 * in the number of elements, which selectors such as `a b c` do not guarantee.
 */
export function walkElements<State>(
  page: Markup,
  state: State,
  enter: (element: MarkupElement, state: State) => State,
): void {
  const open: { readonly nodes: Markup['root']['children']; readonly state: State; next: number }[] = [
    { nodes: page.root.children, state, next: 0 },
  ];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (!node) open.pop();
    else if ('attribs' in node) open.push({ nodes: node.children, state: enter(node, level.state), next: 0 });
  }
}

const HIDDEN = new Set(['head', 'script', 'style', 'noscript', 'template', 'textarea', 'title']);

/** Whatever a page states, it states within this many characters. */
const MAX_LENGTH = 200_000;

/** Returns the visible text of a page without white space, cut after 200,000 characters. */
export function visibleText(markup: Markup): string {
  const texts: string[] = [];
  const open: { readonly nodes: Markup['root']['children']; next: number }[] = [
    { nodes: markup.root.children, next: 0 },
  ];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (!node) open.pop();
    else if (node.type === 'text') texts.push(node.data);
    else if ('children' in node && !('name' in node && HIDDEN.has(node.name))) {
      open.push({ nodes: node.children, next: 0 });
    }
  }
  return texts.join('').slice(0, MAX_LENGTH).replace(/\s+/g, '');
}
