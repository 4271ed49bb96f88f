import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { type DiagramChecker, type DiagramProblem, MAX_DIAGRAM_LENGTH } from '../../markdown/code/diagram-checker.ts';
import type { DiagramSource, RenderWarning } from '../../markdown/draft.ts';

/** The mistake in a diagram; null = none. */
const DIAGRAM = defineCacheKind<DiagramProblem | null>('diagram');
/**
 * Diagrams of a page beyond this are not checked; in squares of characters: some of Mermaid's parsers take time by the square of a text's
 * length, 3 s for this.
 */
const MAX_WORK = 1.2e9;
/** Of any diagram: at most 200 of a page are checked. */
const WORK_OF_DIAGRAM = MAX_WORK / 200;

/** Creates a function that returns warnings of the diagrams of a page that no reader will see drawn. */
export function createDiagramWarnings({
  cache,
  checker,
}: {
  readonly cache: Cache;
  readonly checker: DiagramChecker;
}): (diagrams: readonly DiagramSource[]) => Promise<readonly RenderWarning[]> {
  return async (diagrams) => {
    const warnings: RenderWarning[] = [];
    let work = 0;
    for (const { text, line, textLine } of diagrams) {
      const cost = WORK_OF_DIAGRAM + (text.length > MAX_DIAGRAM_LENGTH ? 0 : text.length ** 2);
      if (work + cost > MAX_WORK) continue;
      work += cost;
      const problem = await cache.memo(DIAGRAM, [text], async () => (await checker.check(text)) ?? null);
      if (!problem) continue;
      const place = problem.line === undefined || textLine === undefined ? line : textLine + problem.line - 1;
      warnings.push({ line: place, code: 'diagram', message: `Diagram cannot be drawn: ${problem.message}` });
    }
    return warnings;
  };
}
