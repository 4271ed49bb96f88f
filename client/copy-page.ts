import { absolutizeMarkdown } from '../lib/markdown-links.ts';
import { copyText } from './copy-text.ts';

/** Shows the button that copies a page as Markdown; where that fails, it opens the Markdown, as the link beside it does. */
export function setUpCopyPage(): void {
  const tools = document.querySelector<HTMLElement>('.page-tools');
  const button = tools?.querySelector('button');
  const link = tools?.querySelector('a');
  const status = tools?.querySelector('[role="status"]');
  if (!button || !link || !status) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyText(readMarkdown(link.href)).catch(() => false);
    if (!isCopied) {
      location.assign(link.href);
      return;
    }
    button.classList.add('done');
    status.textContent = button.dataset['copied']!;
    setTimeout(() => {
      button.classList.remove('done');
      status.textContent = '';
    }, SHOWN_MS);
  });
}

const SHOWN_MS = 2000;

/** Returns the Markdown of the page with absolute links, which mean the same wherever it is pasted. */
async function readMarkdown(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const text = await answer.text();
  // A server of docbuild has made them absolute.
  return /^---\nurl: /.test(text) ? text : absolutizeMarkdown(text, location.origin + location.pathname);
}
