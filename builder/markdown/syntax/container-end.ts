import type { StateBlock } from 'markdown-it';

/** The end of a container's content: the line of its closing mark, or the end of the surrounding block. */
export interface ContainerEnd {
  readonly end: number;
  readonly closed: boolean;
}

/** A failed search, by parser state: containers inside its lines with at least as many colons need not search again. */
interface VainSearch {
  readonly from: number;
  readonly to: number;
  readonly colons: number;
  readonly indent: number;
}

const vainSearches = new WeakMap<StateBlock, VainSearch>();
/** Those for two colons, which say nothing of containers with more. */
const vainPairs = new WeakMap<StateBlock, VainSearch>();

/**
 * Finds the `:::` that closes a container, or the `::` that closes one with two colons. Code blocks are skipped. Containers inside
 * may have as many colons as the outer one; a mark closes the innermost open container of its own number of colons, else the innermost with fewer.
 * Where an inner one was left open, the first mark that could close the outer one does.
 */
export function findContainerEnd(state: StateBlock, startLine: number, endLine: number, colons: number): ContainerEnd {
  const searches = colons > 2 ? vainSearches : vainPairs;
  const vain = searches.get(state);
  if (
    vain &&
    startLine >= vain.from &&
    startLine < vain.to &&
    colons >= vain.colons &&
    vain.indent === state.blkIndent
  ) {
    return { end: Math.min(vain.to, endLine), closed: false };
  }
  const finish = (to: number): ContainerEnd => {
    if (firstMark !== undefined) return { end: firstMark, closed: true };
    searches.set(state, { from: startLine, to, colons, indent: state.blkIndent });
    return { end: to, closed: false };
  };
  const indent = state.sCount[startLine]!;
  const open = [colons];
  let firstMark: number | undefined;
  let fence: string | undefined;
  for (let line = startLine + 1; line < endLine; line++) {
    const start = state.bMarks[line]! + state.tShift[line]!;
    const max = state.eMarks[line]!;
    if (start >= max) continue;
    if (state.sCount[line]! < state.blkIndent) return finish(line);
    const code = state.src.charCodeAt(start);
    if (code === 96 /* ` */ || code === 126 /* ~ */) {
      fence = followFence(state.src.slice(start, max), fence);
    } else if (code === 58 /* : */ && fence === undefined && state.sCount[line]! - indent < 4) {
      const text = state.src.slice(start, max).trimEnd();
      const match = (colons > 2 ? /^(:{3,})[ \t]*([A-Za-z{]?)/ : /^(:{3,}|::(?=[A-Za-z]|$))[ \t]*([A-Za-z{]?)/).exec(
        text,
      );
      if (match?.[2]) open.push(match[1]!.length);
      else if (match && match[0].length === text.length) {
        const marks = match[1]!.length;
        // With two colons, more of them close what is inside.
        if (colons === 2 && marks > 2 && open.length === 1) continue;
        closeInnermost(open, marks);
        if (colons > 2 ? marks >= colons : marks === 2) firstMark ??= line;
        if (open.length === 0) return { end: line, closed: true };
      }
    }
  }
  return finish(endLine);
}

/** Returns the fence that is open after a line that starts with backticks or tildes. */
export function followFence(line: string, fence: string | undefined): string | undefined {
  const mark = /^(`{3,}(?=[^`]*$)|~{3,})(.*)/s.exec(line);
  if (!mark) return fence;
  if (fence === undefined) return mark[1];
  const closes = mark[1]!.startsWith(fence) && mark[2]!.trim() === '';
  return closes ? undefined : fence;
}

function closeInnermost(open: number[], colons: number): void {
  const same = open.lastIndexOf(colons);
  if (same >= 0) open.length = same;
  else if (open.at(-1)! < colons) open.pop();
}
