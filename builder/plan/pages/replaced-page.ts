import { BuildError } from '../../build-error.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { PageError, RenderedPage } from './render-pages.ts';

/** Returns the page that replaces one that cannot be shown, of which only the URL is known. */
export function replacePage(error: PageError): RenderedPage {
  return {
    key: contentKey('replaced', JSON.stringify(error)),
    slots: [],
    headings: [],
    title: undefined,
    ids: [],
    idSet: new Set(),
    warnings: [],
    extras: [],
    errors: [error],
    isReplaced: true,
    isMomentary: false,
  };
}

/** Returns the reason why a page is refused instead of throwing it. */
export function refuseGently<T>(render: () => T): T | PageError {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const { code, message, location } = error;
    return { code, message, line: location.line ?? 0 };
  }
}
