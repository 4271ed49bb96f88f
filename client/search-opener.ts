import { createDialog, type Finder, type SearchDialog, type SearchModule } from './search/create-dialog.ts';
import type { SiteStorage } from './site-storage.ts';

const BUTTON = 'button[data-search]';

/**
 * Opens search by its buttons, by `/`, by Ctrl+K or by `?q=` in the address, from the moment on at which the header is there. The dialog
 * takes keys at once; what finds is loaded behind it, or before, when a button is approached.
 */
export function handleSearch(storage: SiteStorage): void {
  if (!('show' in HTMLDialogElement.prototype)) return;
  let dialog: ReturnType<typeof createDialog> | undefined;
  let finder: Promise<Finder> | undefined;
  /** Returns the dialog of the page as it is; the preview drops one with the body that it replaces. */
  const prepare = (): NonNullable<typeof dialog> => {
    if (dialog?.isOnPage()) return dialog;
    forget();
    dialog = createDialog(findButton()!.dataset['words']!.split('|'), storage, load);
    return dialog;
  };
  const load = (opened: SearchDialog): Promise<Finder> => {
    if (finder) return finder;
    const script = new URL(findButton()!.dataset['search']!, document.baseURI).href;
    const manifest = fetch(new URL('search.json', script).href, { credentials: 'omit' });
    const loading = (import(script) as Promise<SearchModule>).then((search) => search.openSearch(opened, manifest));
    manifest.catch(() => {});
    loading.catch(() => {
      // Whoever asks again may be luckier.
      if (finder === loading) finder = undefined;
    });
    finder = loading;
    return loading;
  };
  /** Has what finds loaded anew by who searches next. */
  const forget = (): void => {
    finder?.then(
      ({ close }) => close(),
      () => {},
    );
    finder = undefined;
  };
  const open = (opener: HTMLElement, query = ''): void => prepare().show(opener, query);

  document.addEventListener('click', ({ target }) => {
    const button = closestButton(target);
    if (button) open(button);
  });
  for (const sign of ['pointerover', 'focusin']) {
    document.addEventListener(sign, ({ target }) => closestButton(target) && prepare().preload());
  }
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event;
    const button = findButton();
    if (!button || defaultPrevented || altKey || isComposing || document.querySelector('dialog[open]')) return;
    const isShortcut = ctrlKey || metaKey ? key.toLowerCase() === 'k' : key === '/' && !isTyping(event);
    if (!isShortcut) return;
    event.preventDefault();
    open(button);
  });
  // In the preview, whose index changes while its pages stay open.
  document.addEventListener('docbuild:renewed', () => {
    forget();
    dialog?.renew();
  });
  document.addEventListener('DOMContentLoaded', () => {
    const button = findButton();
    if (!button) return;
    for (const one of document.querySelectorAll<HTMLElement>(BUTTON)) one.hidden = false;
    const query = new URLSearchParams(location.search).get('q');
    if (query !== null) open(button, query);
    // Opening it takes less time then.
    else (window.requestIdleCallback ?? setTimeout)(() => findButton() && prepare());
  });
}

/** Returns the button of the header, which knows the script and the words. */
function findButton(): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.site-header ${BUTTON}`);
}

function closestButton(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(BUTTON) : null;
}

function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:input|select|textarea)$/.test(target.localName))
  );
}
