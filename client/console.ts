/** The console: copies what is shown once, and sends a form once, however often its button is pressed. */
const SHOWN_MS = 2_000;

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const field = document.getElementById(button.dataset['copy']!) as HTMLInputElement | null;
  if (!field) continue;
  button.hidden = false;
  const label = button.textContent;
  const status = document.createElement('span');
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  button.after(status);
  let timer = 0;
  button.addEventListener('click', async () => {
    const done = button.dataset[(await copyText(field)) ? 'copied' : 'failed'] ?? '';
    button.textContent = done;
    status.textContent = done;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      button.textContent = label;
      status.textContent = '';
    }, SHOWN_MS);
  });
}

for (const field of document.querySelectorAll<HTMLInputElement>('input.secret')) {
  field.addEventListener('focus', () => field.select());
}

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

/** Copies a field, and leaves it selected; browsers keep the clipboard from pages without TLS, but not the older way. */
async function copyText(field: HTMLInputElement): Promise<boolean> {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
