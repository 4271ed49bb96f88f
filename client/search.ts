/**
 * Search in a documentation site, loaded when a reader is about to use it: the engine, which runs on a thread, and the results. All it
 * knows is in files beside this one; the page it was opened on tells which version and language are meant.
 */
import type { Finder, SearchDialog } from './search/create-dialog.ts';
import type { LoadBytes } from './search/engine.ts';
import { serveEngine, startEngine } from './search/engine-thread.ts';
import { showResults } from './search/show-results.ts';

const TIMEOUT_MS = 20_000;

if (typeof document === 'undefined') serveEngine();

/** Opens the index for the page at hand; `manifest` is the answer for its first file, which was asked for before. */
export async function openSearch(dialog: SearchDialog, manifest: Promise<Response>): Promise<Finder> {
  const early = new Map([[new URL('search.json', import.meta.url).href, manifest]]);
  const load: LoadBytes = async (url) => {
    const asked = early.get(url) ?? fetch(url, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT_MS) });
    early.delete(url);
    const answer = await asked;
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return answer.arrayBuffer();
  };
  const engine = await startEngine(import.meta.url, load);
  const assets = new URL('./', import.meta.url).href;
  const opened = await engine.open({ assets, href: location.href, language: document.documentElement.lang });
  if (!opened) {
    engine.stop();
    throw new Error('There is nothing to search');
  }
  return showResults(dialog, engine, opened);
}
