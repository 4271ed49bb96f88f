/** The console: copies what is shown once, and sends a form once, however often its button is pressed. */
import { setUpCopyFields } from './copy-fields.ts';

setUpCopyFields();

for (const form of document.querySelectorAll<HTMLFormElement>('form[method=post]')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  // Back from the cache of the browser it may be sent again.
  window.addEventListener('pageshow', () => {
    isSent = false;
  });
}

/** A menu that is wider than the window shows where one is. */
for (const item of document.querySelectorAll('.top [aria-current]')) {
  const list = item.closest('ul')!;
  const [inner, outer] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.right > outer.right) list.scrollLeft = inner.right - outer.right + outer.width / 4;
}

/** The error is announced, and the keyboard continues from there. */
document.querySelector<HTMLElement>('.notice[role=alert]')?.focus();
