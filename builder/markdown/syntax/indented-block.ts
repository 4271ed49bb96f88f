import type { StateBlock } from 'markdown-it';

/** Returns the line after the last one that belongs to a block whose content is indented by four columns. */
export function findIndentedEnd(state: StateBlock, startLine: number, endLine: number): number {
  let end = startLine;
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) continue;
    if (state.sCount[line]! - state.blkIndent < 4) break;
    end = line + 1;
  }
  return end;
}

/** Parses lines that are indented by four columns as the content of a block. */
export function parseIndented(state: StateBlock, startLine: number, endLine: number): void {
  const { blkIndent, lineMax, parentType, tight } = state;
  state.blkIndent += 4;
  state.lineMax = endLine;
  state.parentType = 'container';
  state.md.block.tokenize(state, startLine, endLine);
  state.blkIndent = blkIndent;
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.tight = tight;
}
