import { createElement } from '../create-element.ts';

interface Watcher extends EventTarget {
  destroy(): void;
}
declare global {
  interface Window {
    /** Not of all browsers. */
    readonly CloseWatcher?: new () => Watcher;
  }
}

/**
 * Adds a dialog to the page, and returns a function that shows it for an opener, which gets the focus back when it closes: the page is
 * shaded, the Tab key stays inside, and what closes things closes it. `showModal` would have the browser find the style of each element
 * of the page anew, which takes longer than all else.
 */
export function addModal(dialog: HTMLDialogElement, afterClosing: () => void): (opener: HTMLElement) => void {
  const shade = createElement('div', { class: 'search-shade' });
  shade.hidden = true;
  document.body.append(shade, dialog);
  let opened: HTMLElement | undefined;
  /** Tells of the gesture that closes things on phones. */
  let watcher: Watcher | undefined;

  const close = (): void => dialog.close();
  shade.addEventListener('click', close);
  dialog.addEventListener('close', () => {
    // Browsers tell of it later, when it may have been opened again.
    if (dialog.open) return;
    shade.hidden = true;
    watcher?.destroy();
    opened?.focus({ preventScroll: true });
    afterClosing();
  });
  dialog.addEventListener('keydown', (event) => {
    const { key, isComposing, shiftKey } = event;
    if (isComposing) return;
    if (key === 'Escape') {
      event.preventDefault();
      close();
    } else if (key === 'Tab') {
      // All of it here: browsers also stop at a list that scrolls.
      const stops = [...dialog.querySelectorAll<HTMLElement>('input, button, a[href]:not([tabindex="-1"])')].filter(
        (stop) => stop.getClientRects()[0],
      );
      if (shiftKey) stops.reverse();
      event.preventDefault();
      stops[(stops.indexOf(document.activeElement as HTMLElement) + 1) % stops.length]?.focus();
    }
  });
  return (opener) => {
    opened = opener;
    shade.hidden = false;
    dialog.show();
    watcher?.destroy();
    watcher = window.CloseWatcher && new window.CloseWatcher();
    watcher?.addEventListener('close', close);
  };
}
