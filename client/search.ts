/**
 * Search in a documentation site, loaded when a reader opens it. Everything it knows is in files beside this one; the page it
 * was opened on tells which version and language are meant.
 */
import { createDialog } from './search/create-dialog.ts';
import { openIndex } from './search/open-index.ts';
import { openStorage } from './site-storage.ts';

/** Folder of the theme's own files, in which this script stands, too. */
const assets = new URL('./', import.meta.url);
let opened: ReturnType<typeof createDialog> | undefined;

/** Opens the dialog; `opener` has the focus again when it closes. */
export async function openSearch(options: { readonly opener: HTMLElement; readonly query: string }): Promise<void> {
  // A preview drops the dialog with the body of the page; then the index is another one, too.
  if (!opened?.isOnPage()) {
    const index = await openIndex(assets, location.href, document.documentElement.lang);
    if (!index) return;
    opened = createDialog(index, openStorage(import.meta.url));
  }
  opened.show(options);
}
