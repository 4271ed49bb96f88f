import { evaluateLiquid, type LiquidScope, testLiquid, toText, UNKNOWN } from './liquid-values.ts';

/** What is expanded with. */
export interface LiquidSource {
  /** What the names of the page stand for. */
  readonly scope: LiquidScope;
  /** Returns the text of an include by its name; undefined if there is none. */
  readonly findInclude: (name: string) => string | undefined;
  /** Called with the number of characters that are written; ends what takes too much. */
  readonly spend: (characters: number) => void;
}

/** A text in which loops and conditions are replaced by what they give. */
export interface ExpandedText {
  readonly text: string;
  /** The line of the source, from 0, of each line. */
  readonly lines: readonly number[];
}

/**
 * Expands what Liquid does before Markdown is read: loops over data of the site, conditions, assigned values, and includes of HTML, as
 * far as all that they need is known. What is not stays as it is written, and so do values outside loops, which are evaluated where they
 * stand. Returns undefined where nothing is to be done.
 */
export function expandLiquid(text: string, source: LiquidSource): ExpandedText | undefined {
  if (!/\{%-?\s*(?:for|if|unless|assign|capture|include)\b/.test(text)) return undefined;
  const out = createOutput(text);
  const names = new Map<string, unknown>();
  const expander = createExpander(source);
  expander.writeKnown(text, parse(text), { names, above: source.scope }, out);
  return out.hasChanges ? out.finish() : undefined;
}

/** Longer tags, deeper nesting and more passes through loops than any author means. */
const MAX_TAG = 5_000;
const MAX_DEPTH = 30;
const MAX_PASSES = 20_000;

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly isValue: boolean;
  readonly name: string;
  readonly body: string;
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
}

type Node =
  | { readonly kind: 'text'; readonly start: number; readonly end: number }
  | { readonly kind: 'tag'; readonly tag: Tag }
  /** A statement with an end; of `if`, each branch has its own tag. */
  | { readonly kind: 'block'; readonly tag: Tag; readonly branches: readonly Branch[]; readonly close: Tag };

interface Branch {
  readonly tag: Tag;
  readonly nodes: readonly Node[];
}

const BLOCKS = new Set(['for', 'if', 'unless', 'capture']);
const BRANCHES = new Set(['else', 'elsif']);
/** Their content is no Liquid. */
const VERBATIM = /^(?:raw|comment)$/;

function scan(text: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const sign = text[at + 1];
    const close = sign === '%' ? '%}' : sign === '{' ? '}}' : undefined;
    const length = close === undefined ? -1 : text.slice(at + 2, at + MAX_TAG).indexOf(close);
    if (length < 0) {
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

function parse(text: string): readonly Node[] {
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

/** Something is not known: what is being expanded stays as it is written. */
class Unknown extends Error {}

type Scope = LiquidScope & { readonly names: Map<string, unknown> };

function createExpander({ findInclude, spend }: LiquidSource) {
  let passes = 0;
  const parsed = new Map<string, { readonly text: string; readonly nodes: readonly Node[] } | undefined>();
  return { writeKnown };

  /** Writes nodes, those that need something unknown as they are written. */
  function writeKnown(text: string, nodes: readonly Node[], scope: Scope, out: Output): void {
    for (const node of nodes) {
      if (node.kind === 'text') out.copy(node.start, node.end);
      else if (!isExpanded(node, scope) || !tryToWrite(text, node, scope, out)) copyNode(text, node, scope, out);
    }
  }

  /** Values are evaluated where they stand, but for those that were assigned here. */
  function isExpanded(node: Exclude<Node, { kind: 'text' }>, { names }: Scope): boolean {
    if (node.kind === 'block') return true;
    const { isValue, name, body } = node.tag;
    if (isValue) return names.has(/^[\w-]+/.exec(body)?.[0] ?? '');
    return name === 'assign' || (name === 'include' && !/\.(?:md|markdown)\b/.test(body));
  }

  function tryToWrite(text: string, node: Node, scope: Scope, out: Output): boolean {
    const mark = out.mark();
    try {
      writeAll(text, [node], scope, out, 0);
      return true;
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      out.reset(mark);
      return false;
    }
  }

  function copyNode(text: string, node: Exclude<Node, { kind: 'text' }>, scope: Scope, out: Output): void {
    const { start, end, name: statement, body } = node.tag;
    out.copy(start, end);
    const assigned = statement === 'assign' || statement === 'capture' ? /^[\w-]+/.exec(body)?.[0] : undefined;
    if (assigned !== undefined) scope.names.set(assigned, UNKNOWN);
    if (node.kind === 'tag') return;
    for (const [at, branch] of node.branches.entries()) {
      if (at > 0) out.copy(branch.tag.start, branch.tag.end);
      // A variable of the loop hides what has the same name, and what is assigned here may not be.
      const loop = /^([\w-]+)\s+in\b/.exec(node.tag.body)?.[1];
      const names = new Map<string, unknown>(node.tag.name === 'for' && loop !== undefined ? [[loop, UNKNOWN]] : []);
      writeKnown(text, branch.nodes, { names, above: scope }, out);
      for (const name of names.keys()) if (name !== loop) scope.names.set(name, UNKNOWN);
    }
    out.copy(node.close.start, node.close.end);
  }

  /** Writes nodes; throws `Unknown` if something in them is. */
  function writeAll(text: string, nodes: readonly Node[], scope: Scope, out: Output, depth: number): void {
    if (depth > MAX_DEPTH) throw new Unknown();
    for (const node of nodes) {
      if (node.kind === 'text') out.write(text.slice(node.start, node.end), node.start);
      else if (node.kind === 'block') writeBlock(text, node, scope, out, depth);
      else writeTag(text, node.tag, scope, out, depth);
    }
  }

  function writeTag(text: string, tag: Tag, scope: Scope, out: Output, depth: number): void {
    if (tag.isValue) {
      const value = evaluateLiquid(tag.body, scope);
      if (value === UNKNOWN) throw new Unknown();
      const shown = toText(value);
      spend(shown.length);
      out.before(text, tag, false);
      out.write(/\{[{%]/.test(shown) ? `{% raw %}${shown}{% endraw %}` : shown, tag.start);
      out.after(text, tag, false);
    } else if (tag.name === 'assign') {
      const [, name, expression] = /^([\w-]+)\s*=\s*([\s\S]*)$/.exec(tag.body) ?? [];
      const value = name === undefined ? UNKNOWN : evaluateLiquid(expression!, scope);
      if (value === UNKNOWN) throw new Unknown();
      scope.names.set(name!, value);
      skip(text, tag, out);
    } else if (tag.name === 'include') writeInclude(text, tag, scope, out, depth);
    else if (tag.name === 'comment') skip(text, tag, out);
    else if (/^(?:raw|link|post_url|highlight|endhighlight)$/.test(tag.name))
      out.write(text.slice(tag.start, tag.end), tag.start);
    else throw new Unknown();
  }

  function skip(text: string, tag: Tag, out: Output): void {
    out.before(text, tag, true);
    out.after(text, tag, true);
  }

  function writeInclude(text: string, tag: Tag, scope: Scope, out: Output, depth: number): void {
    const [, file, rest = ''] = /^["']?([\w./-]+\.\w+)["']?(\s[\s\S]*)?$/.exec(tag.body) ?? [];
    if (file === undefined) throw new Unknown();
    if (!parsed.has(file)) {
      const found = findInclude(file);
      parsed.set(file, found === undefined ? undefined : { text: found, nodes: parse(found) });
    }
    const include = parsed.get(file);
    if (include === undefined || ++passes > MAX_PASSES) throw new Unknown();
    const given: Record<string, unknown> = {};
    for (const [, key, value] of rest.matchAll(/([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)/g)) {
      const known = evaluateLiquid(value!, scope);
      if (known === UNKNOWN) throw new Unknown();
      given[key!] = known;
    }
    spend(include.text.length);
    out.before(text, tag, false);
    out.within(tag.start, () =>
      writeAll(include.text, include.nodes, { names: new Map([['include', given]]), above: scope }, out, depth + 1),
    );
    out.after(text, tag, false);
  }

  function writeBlock(text: string, node: Node & { kind: 'block' }, scope: Scope, out: Output, depth: number): void {
    const { tag, branches, close } = node;
    const write = (branch: Branch, next: Tag, within: Scope): void => {
      out.after(text, branch.tag, true);
      writeAll(text, branch.nodes, within, out, depth + 1);
      out.before(text, next, true);
    };
    out.before(text, tag, true);
    if (tag.name === 'capture') {
      const inner = createOutput(text);
      writeAll(text, branches[0]!.nodes, scope, inner, depth + 1);
      scope.names.set(tag.body.replace(/["']/g, ''), inner.finish().text);
    } else if (tag.name === 'for') writeLoop(node, scope, write);
    else {
      const chosen = branches.findIndex((branch) => isMet(branch, scope));
      if (chosen >= 0) write(branches[chosen]!, branches[chosen + 1]?.tag ?? close, scope);
    }
    out.after(text, close, true);
  }

  function isMet({ tag: { name, body } }: Branch, scope: Scope): boolean {
    const isTrue = name === 'else' ? true : testLiquid(body, scope);
    if (isTrue === UNKNOWN) throw new Unknown();
    return name === 'unless' ? !isTrue : isTrue;
  }

  function writeLoop(
    { tag, branches, close }: Node & { kind: 'block' },
    scope: Scope,
    write: (branch: Branch, next: Tag, within: Scope) => void,
  ): void {
    const [, name, list, settings = ''] =
      /^([\w-]+)\s+in\s+(\([^()]*\)|[^\s]+)((?:\s+(?:reversed|(?:limit|offset)\s*:\s*\d+))*)\s*$/.exec(tag.body) ?? [];
    const found = name === undefined ? UNKNOWN : evaluateLiquid(list!, scope);
    const [body, otherwise] = branches;
    if (found === UNKNOWN || branches.length > 2) throw new Unknown();
    const isMap = typeof found === 'object' && found !== null && !Array.isArray(found);
    let items: readonly unknown[] = isMap ? Object.entries(found) : Array.isArray(found) ? found : [];
    const number = (key: string): number | undefined => {
      const value = new RegExp(`${key}\\s*:\\s*(\\d{1,6})`).exec(settings)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    const offset = number('offset') ?? 0;
    items = items.slice(offset, offset + (number('limit') ?? items.length));
    if (settings.includes('reversed')) items = items.toReversed();
    if (items.length === 0 && otherwise) write(otherwise, close, scope);
    const { length } = items;
    const loopScope: Scope = { names: new Map(), above: scope };
    for (const [at, item] of items.entries()) {
      if (++passes > MAX_PASSES) throw new Unknown();
      spend(close.end - tag.start);
      const place = { index: at + 1, index0: at, rindex: length - at, rindex0: length - at - 1 };
      loopScope.names.set(name!, item);
      loopScope.names.set('forloop', { ...place, length, first: at === 0, last: at === length - 1 });
      // What a pass assigns is seen by the next one and behind the loop.
      write(body!, otherwise?.tag ?? close, loopScope);
      for (const [key, value] of loopScope.names) if (key !== name && key !== 'forloop') scope.names.set(key, value);
    }
  }
}

type Skips = 'nothing' | 'line' | 'blanks';

interface Mark {
  readonly length: number;
  readonly tail: readonly string[];
  readonly skips: Skips;
}

/** Number of pieces from which blanks are taken away. */
const TAIL = 3;

interface Output {
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

function createOutput(source: string): Output {
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
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(0, end);
}

/** Returns whether nothing else is on the lines of a tag. */
function standsAlone(text: string, { start, end }: Tag): boolean {
  return (
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - 200), start)) &&
    /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 200))
  );
}
