import type { MarkdownIt } from 'markdown-it';
import { runExtension } from '../../extension.ts';
import type { MarkdownPlugin } from '../draft.ts';

/** A list of rules of markdown-it, by the methods that add to it. */
interface RuleList {
  at(name: string, rule: AnyRule, options?: object): void;
  before(other: string, name: string, rule: AnyRule, options?: object): void;
  after(other: string, name: string, rule: AnyRule, options?: object): void;
  push(name: string, rule: AnyRule, options?: object): void;
}

type AnyRule = (...values: never[]) => unknown;

/**
 * Adds a plugin of markdown-it to a parser. Its blocks and its rules inside texts are tried before docbuild's own additions, which
 * would take `:::` and the like otherwise. Whatever it adds is timed, and named where it fails.
 */
export function addPlugin(md: MarkdownIt, { meter, add }: MarkdownPlugin): void {
  const wrap = <Rule extends AnyRule>(rule: Rule): Rule =>
    function (this: unknown, ...values: Parameters<Rule>) {
      return runExtension(meter, () => rule.apply(this, values));
    } as Rule;
  const before = { ...md.renderer.rules };
  const lists = [
    [md.block.ruler, 'by_character'],
    [md.inline.ruler, 'by_character'],
    [md.inline.ruler2, undefined],
    [md.core.ruler, undefined],
  ] as const;
  const restore = lists.map(([list, own]) => watchList(list as unknown as RuleList, own, wrap));
  try {
    runExtension(meter, () => add(md));
  } finally {
    for (const undo of restore) undo();
  }
  for (const [name, rule] of Object.entries(md.renderer.rules)) {
    if (rule !== undefined && rule !== before[name]) md.renderer.rules[name] = wrap(rule as AnyRule) as typeof rule;
  }
}

/** Sees to it that all rules added to a list are wrapped, and placed before `own`; returns the function that ends it. */
function watchList(list: RuleList, own: string | undefined, wrap: (rule: AnyRule) => AnyRule): () => void {
  const { at, before, after, push } = list;
  list.at = (name, rule, options) => at.call(list, name, wrap(rule), options);
  list.before = (other, name, rule, options) => before.call(list, own ?? other, name, wrap(rule), options);
  list.after = (other, name, rule, options) => {
    if (own === undefined) after.call(list, other, name, wrap(rule), options);
    else before.call(list, own, name, wrap(rule), options);
  };
  list.push = (name, rule, options) => push.call(list, name, wrap(rule), options);
  return () => {
    for (const method of ['at', 'before', 'after', 'push'] as const) Reflect.deleteProperty(list, method);
  };
}
