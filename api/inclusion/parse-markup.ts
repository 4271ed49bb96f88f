import { DomHandler, Parser } from 'htmlparser2';

/** A parsed page. */
export type Markup = DomHandler['root'];

/** Pages of results nest some dozens of levels. */
const MAX_DEPTH = 200;
/** They have some thousand tags, which cost most, and some ten thousand texts and attributes. */
const MAX_COST = 80_000;
const TAG_COST = 4;

class TooComplexError extends Error {}

/**
 * Parses HTML, or XML without custom entities, as browsers do; undefined for a page that nests deeper or has more in it than
 * any page of results: a parser's time grows with the square of the depth.
 */
export function parseMarkup(text: string, { xmlMode = false } = {}): Markup | undefined {
  const dom = new DomHandler(null, { xmlMode });
  let depth = 0;
  let cost = 0;
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
      onclosetag() {
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
    return dom.root;
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}
