import { copyText } from './copy-text.ts';
import { createElement } from './create-element.ts';

const SHOWN_MS = 2000;

/**
 * Adds to every code block, in its title row, a button that copies its text and tells screen readers that it did, and one that
 * wraps lines that are too long. A group of tabs has one of each, beside its labels.
 */
export function addCodeTools(): void {
  const { copy, copied, wrap } = document.body.dataset;
  if (copy === undefined || copied === undefined || wrap === undefined) return;
  const status = createElement('p', { class: 'visually-hidden', role: 'status' });
  document.body.append(status);
  const shape = watchShape();
  for (const row of document.querySelectorAll<HTMLElement>('.code-block, .code-group')) {
    const isGroup = row.matches('.code-group');
    if (!isGroup && row.matches('.code-group > .tab-panel > :only-child')) continue;
    const find = (): HTMLElement | null => (isGroup ? row.querySelector(SHOWN_BLOCK) : row);
    const toggle = createElement('button', { type: 'button', class: 'wrap', title: wrap, 'aria-label': wrap });
    toggle.setAttribute('aria-pressed', 'false');
    toggle.addEventListener('click', () => {
      const isWrapped = toggle.getAttribute('aria-pressed') !== 'true';
      toggle.setAttribute('aria-pressed', String(isWrapped));
      for (const pre of row.querySelectorAll('pre')) {
        pre.parentElement!.classList.toggle('wrapped', isWrapped);
        shape.update([pre]);
      }
    });
    const button = createElement('button', { type: 'button', class: 'copy', title: copy, 'aria-label': copy });
    let timer = 0;
    const show = (done: boolean): void => {
      button.classList.toggle('done', done);
      button.title = done ? copied : copy;
      status.textContent = done ? copied : '';
    };
    button.addEventListener('click', async () => {
      const block = find();
      const code = block?.querySelector<HTMLElement>('pre code');
      if (!code || !(await copyText(readCode(code, block!.dataset['language'] ?? '')))) return;
      show(true);
      clearTimeout(timer);
      timer = window.setTimeout(show, SHOWN_MS, false);
    });
    const tools = createElement('div', { class: 'code-tools' }, toggle, button);
    if (isGroup) row.append(tools);
    else if (row.querySelector('pre code')) row.querySelector('pre')!.before(tools);
    for (const pre of row.querySelectorAll('pre')) shape.watch(pre);
  }
}

/** The block of a group of tabs that is shown. */
const SHOWN_BLOCK = '.tab-input:checked + .tab-label + .tab-panel > .code-block';

/** Says of blocks, by classes, whether they have lines that are too long, and whether some of such a line is out of sight. */
function watchShape() {
  const update = (blocks: readonly Element[]): void => {
    // All is read before anything is written: otherwise each block would have the browser lay the page out once more.
    const places = blocks.map(({ scrollWidth, clientWidth, scrollLeft }) => ({
      isMoved: scrollLeft !== 0,
      isCut: scrollWidth - clientWidth - Math.abs(scrollLeft) > 1,
    }));
    for (const [at, pre] of blocks.entries()) {
      const block = pre.parentElement!;
      const { isMoved, isCut } = places[at]!;
      const isWrapped = block.classList.contains('wrapped');
      block.classList.toggle('cut', isCut);
      block.classList.toggle('long', isWrapped || isMoved || isCut);
      placeNumbers(pre, isWrapped);
    }
  };
  const sizes = new ResizeObserver((entries) => update(entries.map(({ target }) => target)));
  const watch = (pre: Element): void => {
    sizes.observe(pre);
    pre.addEventListener('scroll', () => update([pre]), { passive: true });
  };
  return { update, watch };
}

/** Puts the numbers of lines where the lines begin: one that is wrapped takes several rows. */
function placeNumbers(pre: Element, isWrapped: boolean): void {
  const numbers = pre.querySelector('.line-numbers');
  const code = pre.querySelector('code');
  if (!numbers || !code || (!isWrapped && !numbers.textContent!.includes('\n\n'))) return;
  const counts = numbers.textContent!.split('\n').filter(Boolean);
  const rows = isWrapped ? countRows(code, parseFloat(getComputedStyle(code).lineHeight)) : [];
  numbers.textContent = counts.map((count, at) => count + '\n'.repeat(Math.max(0, (rows[at] ?? 1) - 1))).join('\n');
}

/** Returns how many rows each line of a text takes. */
function countRows(code: Element, rowHeight: number): readonly number[] {
  const rows: number[] = [];
  const range = document.createRange();
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  range.setStart(code, 0);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (let end = text.nodeValue!.indexOf('\n'); end >= 0; end = text.nodeValue!.indexOf('\n', end + 1)) {
      range.setEnd(text, end);
      rows.push(Math.ceil(range.getBoundingClientRect().height / rowHeight - 0.1));
      range.setStart(text, end + 1);
    }
  }
  return rows;
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
