import { findMachineError } from '../../../lib/system-error.ts';
import { BuildError } from '../../build-error.ts';
import { contentKey } from '../../cache/content-key.ts';
import type { Fragment, SourceError } from '../../model.ts';

/** A page as determined by its file and includes; shared by all versions in which these are equal. */
export interface RenderedPage extends Omit<Fragment, 'html'> {
  readonly key: string;
  readonly idSet: ReadonlySet<string>;
  /** Length of its Markdown in the cache, see `writeMarkdown`. */
  readonly markdownBytes: number;
  /** Its first paragraph, shortened, see `createLeadReader`; '' = it has none. */
  readonly lead: string;
  readonly errors: readonly PageError[];
  /** A notice with the problem replaces the page. */
  readonly isReplaced: boolean;
  /** The problem may be gone in the next build. */
  readonly isMomentary: boolean;
}

/** The cache's entry of a page beside its Markdown and its HTML. */
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
    markdownBytes: 0,
    lead: '',
    errors: [error],
    isReplaced: true,
    isMomentary: false,
  };
}

/** Returns the reason why a page is refused instead of throwing it; throws what is the machine's fault. */
export async function refuseGently<T>(render: () => T | Promise<T>): Promise<T | PageError> {
  try {
    return await render();
  } catch (error) {
    const refused = findMachineError(error);
    if (refused || !(error instanceof BuildError)) throw refused ?? error;
    const { code, message, location } = error;
    return { code, message, line: location.line ?? 0 };
  }
}
