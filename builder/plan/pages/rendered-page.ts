import { BuildError } from '../../build-error.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { Fragment, SourceError } from '../../model.ts';

/** A page as determined by its file and includes; shared by all versions in which these are equal. */
export interface RenderedPage extends Omit<Fragment, 'html'> {
  readonly key: string;
  readonly idSet: ReadonlySet<string>;
  /** What of the page could not be read. */
  readonly errors: readonly PageError[];
  /** A notice with the problem replaces the page. */
  readonly isReplaced: boolean;
  /** The problem may be gone in the next build. */
  readonly isMomentary: boolean;
}

/** What the cache has of a page beside its HTML. */
export type StoredPage = Omit<RenderedPage, 'key' | 'idSet' | 'isMomentary'>;

/** A problem of a page, wherever the page is. `line` counts from 1; 0 = the whole file. */
export type PageError = Pick<SourceError, 'line' | 'code' | 'message'>;

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
