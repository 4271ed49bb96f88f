import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import type { DiagramChecker, DiagramProblem } from '../../markdown/code/diagram-checker.ts';
import type { DiagramSource, RenderWarning } from '../../markdown/draft.ts';

/** What is wrong with a diagram; null = nothing. */
const DIAGRAM = defineCacheKind<DiagramProblem | null>('diagram');
/** Further ones of a page are not checked. */
const MAX_DIAGRAMS = 200;

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
    for (const { text, line, textLine } of diagrams.slice(0, MAX_DIAGRAMS)) {
      const problem = await cache.memo(DIAGRAM, [text], async () => (await checker.check(text)) ?? null);
      if (!problem) continue;
      const place = problem.line === undefined || textLine === undefined ? line : textLine + problem.line - 1;
      warnings.push({ line: place, code: 'diagram', message: `Diagram cannot be drawn: ${problem.message}` });
    }
    return warnings;
  };
}
