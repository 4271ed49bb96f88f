import type { StateBlock, StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import type { Meaning } from './meaning.ts';

/**
 * Adds what only lists of files have (`<FileTree>`): folders whose content is not shown, `- pages/`, and the elements of Nextra,
 * `<FileTree.Folder name="pages">`.
 */
export function addFileTrees({ md }: Parser): void {
  md.core.ruler.after('inline', 'file_tree', (state: StateCore) => {
    if (!state.tokens.some(isTree)) return;
    const tokens: Token[] = [];
    /** Containers that are open in a tree. */
    let depth = 0;
    for (const token of state.tokens) {
      if (depth > 0 || isTree(token)) depth += nestingOf(token);
      const last = tokens.at(-1);
      // Each entry of Nextra's is a list of its own; those that follow each other are one.
      if (depth > 0 && isEntry(token, 'bullet_list_open') && last && isEntry(last, 'bullet_list_close')) tokens.pop();
      else tokens.push(token);
      if (depth > 0 && token.type === 'inline') markFolder(tokens);
    }
    state.tokens = tokens;
  });
}

function isTree({ type, attrs }: Token): boolean {
  return type === 'container_open' && attrs?.[0]?.[1] === 'container filetree';
}

function nestingOf({ type }: Token): number {
  return type === 'container_open' ? 1 : type === 'container_close' ? -1 : 0;
}

function isEntry({ type, meta }: Token, wanted: string): boolean {
  return type === wanted && (meta as { readonly isEntry?: boolean } | null)?.isEntry === true;
}

/** Marks the entry whose text is the last token as a folder if its first word ends like one. */
function markFolder(tokens: readonly Token[]): void {
  const [item, , text] = tokens.slice(-3);
  if (item?.type !== 'list_item_open') return;
  const words = text!.children!.find(({ content }) => content.trim() !== '')?.content.trimStart() ?? '';
  if (/^[^\s/]\S*\/(?:\s|$)/.test(words.slice(0, 300))) item.attrJoin('class', 'folder');
}

/** Adds an entry with its content. */
export function pushEntry(
  state: StateBlock,
  { name, isFolder }: Extract<Meaning, { as: 'entry' }>,
  map: [number, number],
  parseInner: () => void,
): void {
  state.push('bullet_list_open', 'ul', 1).meta = { isEntry: true };
  const item = state.push('list_item_open', 'li', 1);
  item.map = map;
  if (isFolder) item.attrs = [['class', 'folder']];
  const label = state.push('html_block', '', 0);
  label.content = `${escapeHtml(name)}\n`;
  label.map = map;
  parseInner();
  state.push('list_item_close', 'li', -1);
  state.push('bullet_list_close', 'ul', -1).meta = { isEntry: true };
}
