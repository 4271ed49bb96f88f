const SHOWN_MS = 2000;

/** Adds to every code block a button that copies its text and tells screen readers that it did. */
export function addCopyButtons(): void {
  const { copy, copied } = document.body.dataset;
  if (copy === undefined || copied === undefined || !navigator.clipboard) return;
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  document.body.append(status);
  for (const block of document.querySelectorAll<HTMLElement>('.code-block')) {
    const code = block.querySelector<HTMLElement>('pre code');
    if (!code) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.title = copy;
    button.setAttribute('aria-label', copy);
    let timer = 0;
    const show = (done: boolean): void => {
      button.classList.toggle('done', done);
      button.title = done ? copied : copy;
      status.textContent = done ? copied : '';
    };
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(readCode(code));
      show(true);
      clearTimeout(timer);
      timer = window.setTimeout(show, SHOWN_MS, false);
    });
    block.append(button);
  }
}

/** Lines that a diff takes away are not part of the result. */
function readCode(code: HTMLElement): string {
  const copy = code.cloneNode(true) as HTMLElement;
  for (const line of copy.querySelectorAll('.line.diff.remove')) {
    if (line.nextSibling?.nodeType === Node.TEXT_NODE) line.nextSibling.remove();
    line.remove();
  }
  return (copy.textContent ?? '').replace(/\n$/, '');
}
