/** Longer tags and deeper nesting than any author means. */
const MAX_TAG = 5_000;
const MAX_DEPTH = 30;

/** A tag of Liquid, `{% name body %}` or `{{ body }}`, with its place in the text. */
export interface Tag {
  readonly start: number;
  readonly end: number;
  readonly isValue: boolean;
  readonly name: string;
  readonly body: string;
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
}

/** A part of a template. */
export type Node =
  | { readonly kind: 'text'; readonly start: number; readonly end: number }
  | { readonly kind: 'tag'; readonly tag: Tag }
  /** A statement with an end; of `if`, each branch has its own tag. */
  | { readonly kind: 'block'; readonly tag: Tag; readonly branches: readonly Branch[]; readonly close: Tag };

/** The nodes below a tag. */
export interface Branch {
  readonly tag: Tag;
  readonly nodes: readonly Node[];
}

const BLOCKS = new Set(['for', 'if', 'unless', 'capture']);
const BRANCHES = new Set(['else', 'elsif']);
/** Their content is no Liquid. */
const VERBATIM = /^(?:raw|comment)$/;

function scan(text: string): readonly Tag[] {
  const tags: Tag[] = [];
  const findClose = createFinder(text);
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const sign = text[at + 1];
    const close = sign === '%' ? '%}' : sign === '{' ? '}}' : undefined;
    const length = close === undefined ? Number.POSITIVE_INFINITY : findClose(close, at + 2) - at - 2;
    if (length > MAX_TAG) {
      at++;
      continue;
    }
    const inner = text.slice(at + 2, at + 2 + length);
    const tag = readTag(inner, { start: at, end: at + length + 4, isValue: sign === '{' });
    tags.push(tag);
    at = tag.end;
    if (tag.isValue || !VERBATIM.test(tag.name)) continue;
    const end = new RegExp(`\\{%-?\\s*end${tag.name}\\s*-?%\\}`, 'g');
    end.lastIndex = at;
    const found = end.exec(text);
    // Without an end, the rest is what it says.
    at = found ? found.index + found[0].length : text.length;
    tags[tags.length - 1] = { ...tag, end: at };
  }
  return tags;
}

/** Returns a function that finds a sign from a place on; places ascend, and what is between two signs is looked through once. */
function createFinder(text: string): (sign: string, from: number) => number {
  const found = new Map<string, number>();
  return (sign, from) => {
    let at = found.get(sign) ?? -1;
    if (at < from) {
      const next = text.indexOf(sign, from);
      at = next < 0 ? Number.POSITIVE_INFINITY : next;
      found.set(sign, at);
    }
    return at;
  };
}

function readTag(inner: string, place: Pick<Tag, 'start' | 'end' | 'isValue'>): Tag {
  const trimsBefore = inner.startsWith('-');
  const trimsAfter = inner.length > 1 && inner.endsWith('-');
  const body = inner.slice(trimsBefore ? 1 : 0, trimsAfter ? -1 : undefined).trim();
  const name = place.isValue ? '' : (/^\w+/.exec(body)?.[0] ?? '');
  return { ...place, name, body: body.slice(name.length).trim(), trimsBefore, trimsAfter };
}

interface OpenBlock {
  readonly tag: Tag | undefined;
  readonly branches: { readonly tag: Tag; readonly nodes: Node[] }[];
  readonly nodes: Node[];
}

/** Returns the parts of a text. A block without an end is nothing but its tags. */
export function parseLiquid(text: string): readonly Node[] {
  const root: OpenBlock = { tag: undefined, branches: [], nodes: [] };
  const stack: OpenBlock[] = [root];
  const into = (): Node[] => stack.at(-1)!.branches.at(-1)?.nodes ?? stack.at(-1)!.nodes;
  let at = 0;
  for (const tag of scan(text)) {
    if (tag.start > at) into().push({ kind: 'text', start: at, end: tag.start });
    at = tag.end;
    const open = stack.at(-1)!;
    if (BLOCKS.has(tag.name) && stack.length <= MAX_DEPTH) {
      stack.push({ tag, branches: [{ tag, nodes: [] }], nodes: [] });
    } else if (open.tag !== undefined && BRANCHES.has(tag.name)) open.branches.push({ tag, nodes: [] });
    else if (open.tag !== undefined && tag.name === `end${open.tag.name}`) {
      stack.pop();
      into().push({ kind: 'block', tag: open.tag, branches: open.branches, close: tag });
    } else into().push({ kind: 'tag', tag });
  }
  if (at < text.length) into().push({ kind: 'text', start: at, end: text.length });
  // A block without an end is as it is written.
  while (stack.length > 1) {
    const { branches } = stack.pop()!;
    for (const { tag, nodes } of branches) into().push({ kind: 'tag', tag }, ...nodes);
  }
  return root.nodes;
}
