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

/** The error is announced, and the keyboard continues from there. */
document.querySelector<HTMLElement>('.notice[role=alert]')?.focus();
