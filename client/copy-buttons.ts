const SHOWN_MS = 2000;

/** Adds to every code block a button that copies its text and tells screen readers that it did. */
export function addCopyButtons(): void {
  const { copy, copied } = document.body.dataset;
  if (copy === undefined || copied === undefined) return;
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
      if (!(await copyText(readCode(code, block.dataset.language ?? '')))) return;
      show(true);
      clearTimeout(timer);
      timer = window.setTimeout(show, SHOWN_MS, false);
    });
    block.append(button);
  }
}

/** Languages of blocks that show what is typed at a prompt. */
const SHELL = /^(?:sh|bash|zsh|fish|shell|shellscript|console|shellsession|shell-session|terminal)$/;
const PROMPT = /^\$ /;

/** Returns what somebody wants of a block: nothing that a diff takes away, of a terminal only what is typed. */
function readCode(code: HTMLElement, language: string): string {
  const copy = code.cloneNode(true) as HTMLElement;
  for (const line of copy.querySelectorAll('.line.diff.remove')) {
    if (line.nextSibling?.nodeType === Node.TEXT_NODE) line.nextSibling.remove();
    line.remove();
  }
  for (const part of copy.querySelectorAll('del')) part.remove();
  const text = (copy.textContent ?? '').replace(/\n$/, '');
  return (SHELL.test(language) || language === '') && PROMPT.test(text) ? readCommands(text) : text;
}

/** Returns the commands behind prompts, with the lines on which they go on, and without what they print. */
function readCommands(text: string): string {
  const typed: string[] = [];
  let goesOn = false;
  for (const line of text.split('\n')) {
    if (!goesOn && !PROMPT.test(line)) continue;
    typed.push(goesOn ? line.replace(/^> /, '') : line.replace(PROMPT, ''));
    goesOn = line.endsWith('\\');
  }
  return typed.join('\n');
}

/** Copies text; returns whether it could. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without https have no clipboard, but may copy what is selected.
    const area = document.createElement('textarea');
    const { activeElement } = document;
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    (activeElement as HTMLElement | null)?.focus();
    return isCopied;
  }
}
