const SHOWN_MS = 2_000;

/** Shows the buttons that copy a field or a text, and lets fields of secrets be selected with one click. */
export function setUpCopyFields(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const field = document.getElementById(button.dataset['copy']!);
    if (field) setUpButton(button, field);
  }
  for (const field of document.querySelectorAll<HTMLInputElement>('input.secret')) {
    field.addEventListener('focus', () => field.select());
  }
}

function setUpButton(button: HTMLButtonElement, field: HTMLElement): void {
  button.hidden = false;
  const content = [...button.childNodes];
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
      button.replaceChildren(...content);
      status.textContent = '';
    }, SHOWN_MS);
  });
}

/** Copies a field or a text, and leaves it selected; browsers keep the clipboard from pages without TLS, but not the older way. */
async function copyText(field: HTMLElement): Promise<boolean> {
  field.focus();
  if (field instanceof HTMLInputElement) field.select();
  else getSelection()?.selectAllChildren(field);
  try {
    await navigator.clipboard.writeText(field instanceof HTMLInputElement ? field.value : (field.textContent ?? ''));
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
