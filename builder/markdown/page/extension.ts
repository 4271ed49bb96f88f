import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import type { MarkdownOptions } from '../../model.ts';
import { getPage } from './page-state.ts';

/** What an extension receives to add its rules. */
export interface Parser {
  readonly md: MarkdownIt;
  readonly rules: RulesBySign;
  readonly options: MarkdownOptions;
}

/** Adds one piece of syntax to the parser: rules that read it, and rules that render its tokens. */
export type Extension = (parser: Parser) => void;

/** A rule of the block parser; see markdown-it. */
export type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;
/** A rule of the inline parser. */
export type InlineRule = (state: StateInline, silent: boolean) => boolean;

/** Rules of this renderer by the first character of their syntax. */
export interface RulesBySign {
  /** Adds a rule for blocks, which may interrupt a paragraph; it is not called for lines indented as code. */
  block(signs: string, rule: BlockRule): void;
  inline(signs: string, rule: InlineRule): void;
}

/**
 * Adds one block rule and one inline rule to the parser, which call only those rules whose sign is present. The parser
 * calls all its rules at each position of a text, and for each line of a paragraph: thirty of them would take longer
 * than everything else.
 */
export function createRulesBySign(md: MarkdownIt): RulesBySign {
  const blocks: (BlockRule[] | undefined)[] = new Array(128).fill(undefined);
  const inlines: (InlineRule[] | undefined)[] = new Array(128).fill(undefined);
  const parseBlock: BlockRule = (state, startLine, endLine, silent) => {
    const rules = blocks[state.src.charCodeAt(state.bMarks[startLine]! + state.tShift[startLine]!)];
    if (rules === undefined) return false;
    if (state.sCount[startLine]! - state.blkIndent >= 4 && !getPage(state.env).dialect.jsx) return false;
    for (const rule of rules) if (rule(state, startLine, endLine, silent)) return true;
    return false;
  };
  const parseInline: InlineRule = (state, silent) => {
    const rules = inlines[state.src.charCodeAt(state.pos)];
    if (rules === undefined) return false;
    for (const rule of rules) if (rule(state, silent)) return true;
    return false;
  };
  md.block.ruler.before('table', 'by_sign', parseBlock, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  md.inline.ruler.before('escape', 'by_sign', parseInline);
  return { block: (signs, rule) => add(blocks, signs, rule), inline: (signs, rule) => add(inlines, signs, rule) };
}

function add<Rule>(rules: (Rule[] | undefined)[], signs: string, rule: Rule): void {
  for (const sign of signs) {
    const code = sign.charCodeAt(0);
    rules[code] = [...(rules[code] ?? []), rule];
  }
}
