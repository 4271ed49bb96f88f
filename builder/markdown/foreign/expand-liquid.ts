import { createOutput, type ExpandedText, type Output } from './liquid-output.ts';
import { evaluateLiquid, type LiquidScope, testLiquid, toText, UNKNOWN } from './liquid-values.ts';
import { type Branch, type Node, parseLiquid, type Tag } from './parse-liquid.ts';

/** Texts and values for the expansion. */
export interface LiquidSource {
  /** Values by the names that the page uses. */
  readonly scope: LiquidScope;
  /** Returns the text of an include by its name; undefined if there is none. */
  readonly findInclude: (name: string) => string | undefined;
  /** Called with the number of characters that are written; ends what takes too much. */
  readonly spend: (characters: number) => void;
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
  expander.writeKnown(text, parseLiquid(text), { names, above: source.scope }, out);
  return out.hasChanges ? out.finish() : undefined;
}

/** Deeper nesting and more passes through loops than any author means. */
const MAX_DEPTH = 30;
const MAX_PASSES = 20_000;

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
      const [, name, expression] = /^([\w-]+)\s*=\s*([\s\S]*)/.exec(tag.body) ?? [];
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
      parsed.set(file, found === undefined ? undefined : { text: found, nodes: parseLiquid(found) });
    }
    const include = parsed.get(file);
    if (include === undefined || ++passes > MAX_PASSES) throw new Unknown();
    const given: Record<string, unknown> = {};
    for (const [, key, value] of rest.matchAll(/(?<![\w-])([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)/g)) {
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
      // Values that a pass assigns are seen by the next one and behind the loop.
      write(body!, otherwise?.tag ?? close, loopScope);
      for (const [key, value] of loopScope.names) if (key !== name && key !== 'forloop') scope.names.set(key, value);
    }
  }
}
