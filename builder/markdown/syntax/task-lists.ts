import type { MarkdownIt, StateCore } from 'markdown-it';

/** Adds GFM's task lists, `- [x] done`. */
export function addTaskLists(md: MarkdownIt): void {
  md.core.ruler.before('inline', 'task_lists', (state: StateCore) => {
    const { tokens } = state;
    for (let i = 2; i < tokens.length; i++) {
      const inline = tokens[i]!;
      if (inline.type !== 'inline' || tokens[i - 2]!.type !== 'list_item_open') continue;
      const match = /^\[([ xX])\](?:[ \t\n]|$)/.exec(inline.content);
      if (!match) continue;
      inline.content = inline.content.slice(match[0].length);
      inline.meta = { task: match[1] === ' ' ? 'open' : 'done' };
      tokens[i - 2]!.attrJoin('class', 'task');
    }
  });
  md.core.ruler.after('footnote_tail', 'task_boxes', (state: StateCore) => {
    for (const token of state.tokens) {
      if (token.type !== 'inline' || token.meta?.task === undefined || token.children === null) continue;
      const open = new state.Token('task_open', '', 0);
      open.meta = { done: token.meta.task === 'done' };
      token.children.unshift(open);
      token.children.push(new state.Token('task_close', '', 0));
    }
  });
  md.renderer.rules.task_open = (tokens, index) =>
    `<label><input type="checkbox" disabled${tokens[index]!.meta?.done ? ' checked' : ''}> `;
  md.renderer.rules.task_close = () => '</label>';
}
