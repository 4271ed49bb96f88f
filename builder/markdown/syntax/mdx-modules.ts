import type { MarkdownIt, StateBlock } from 'markdown-it';
import { getPage } from '../page-state.ts';

const moduleStart =
  /^(?:import(?:\s*['"{*]|\s+(?:type\s+)?[\w$]+(?:\s*,|\s+from\b|\s*\{))|export(?:\s*[{*]|\s+(?:const|let|var|async|function|class|default|type|interface|enum)\b))/;

/** Drops `import`, `export` and comments in braces at the top level of `.mdx` pages. */
export function addMdxModules(md: MarkdownIt): void {
  md.block.ruler.before(
    'table',
    'mdx_module',
    (state: StateBlock, startLine: number, endLine: number, silent: boolean) => {
      if (silent || !getPage(state.env).input.mdx || state.level > 0 || state.sCount[startLine] !== 0) return false;
      const start = state.bMarks[startLine]!;
      const first = state.src.slice(start, state.eMarks[startLine]!);
      const isModule = moduleStart.test(first);
      if (!isModule && !first.startsWith('{/*')) return false;
      state.line = isModule ? findModuleEnd(state, startLine, endLine) : findCommentEnd(state, startLine, endLine);
      return state.line > startLine;
    },
  );
}

/** A module ends at the first blank line outside of brackets, or, with brackets that never close, at the first blank line. */
function findModuleEnd(state: StateBlock, startLine: number, endLine: number): number {
  let depth = 0;
  let firstBlank: number | undefined;
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) {
      if (depth <= 0) return line;
      firstBlank ??= line;
    }
    for (const character of state.src.slice(state.bMarks[line]!, state.eMarks[line]!)) {
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth--;
    }
  }
  return depth > 0 && firstBlank !== undefined ? firstBlank : endLine;
}

function findCommentEnd(state: StateBlock, startLine: number, endLine: number): number {
  for (let line = startLine; line < endLine; line++) {
    if (/\*\/\}\s*$/.test(state.src.slice(state.bMarks[line]!, state.eMarks[line]!))) return line + 1;
  }
  return startLine;
}
