import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import type { MarkdownOptions } from '../../model.ts';
import { getPage } from './page-state.ts';
import { endsQuote } from './quote-ends.ts';

export interface Parser {
  readonly md: MarkdownIt;
  readonly rules: RulesByCharacter;
  readonly options: MarkdownOptions;
}

/** Adds one piece of syntax to the parser: rules that read it, and rules that render its tokens. */
export type Extension = (parser: Parser) => void;

export type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;
export type InlineRule = (state: StateInline, silent: boolean) => boolean;

/** Rules of this renderer by the first character of their syntax. */
export interface RulesByCharacter {
  /** Adds a rule for blocks, which may interrupt a paragraph; it is not called for lines indented as code. */
  block(characters: string, rule: BlockRule): void;
  inline(characters: string, rule: InlineRule): void;
}

/**
 * Adds one block rule and one inline rule to the parser, which call only those rules whose character is present. The parser
 * calls all its rules at each position of a text, and for each line of a paragraph: thirty of them would take longer
 * than everything else.
 */
export function createRulesByCharacter(md: MarkdownIt): RulesByCharacter {
  const blocks: (BlockRule[] | undefined)[] = new Array(128).fill(undefined);
  const inlines: (InlineRule[] | undefined)[] = new Array(128).fill(undefined);
  const parseBlock: BlockRule = (state, startLine, endLine, silent) => {
    const rules = blocks[state.src.charCodeAt(state.bMarks[startLine]! + state.tShift[startLine]!)];
    if (rules === undefined) return false;
    if (state.sCount[startLine]! - state.blkIndent >= 4 && !getPage(state.env).dialect.jsx) return false;
    // A quote asks which line ends it.
    if (silent && state.parentType === 'blockquote') return endsQuote(state, startLine, endLine, rules);
    for (const rule of rules) if (rule(state, startLine, endLine, silent)) return true;
    return false;
  };
  const parseInline: InlineRule = (state, silent) => {
    const rules = inlines[state.src.charCodeAt(state.pos)];
    if (rules === undefined) return false;
    for (const rule of rules) if (rule(state, silent)) return true;
    return false;
  };
  md.block.ruler.before('table', 'by_character', parseBlock, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  md.inline.ruler.before('escape', 'by_character', parseInline);
  return {
    block: (characters, rule) => add(blocks, characters, rule),
    inline: (characters, rule) => add(inlines, characters, rule),
  };
}

/**
 * Returns markdown-it's own rule of this name, which an extension is about to take the place of. Its function cannot be told by its name,
 * which bundling changes.
 */
export function takeBlockRule({ block: { ruler } }: MarkdownIt, name: string): BlockRule {
  const all = ruler.getRules('');
  ruler.disable(name);
  const others = new Set(ruler.getRules(''));
  ruler.enable(name);
  return all.find((rule) => !others.has(rule))!;
}

function add<Rule>(rules: (Rule[] | undefined)[], characters: string, rule: Rule): void {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    rules[code] = [...(rules[code] ?? []), rule];
  }
}
