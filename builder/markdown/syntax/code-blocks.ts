import type { MarkdownIt } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import { renderCodeBlock } from '../code/render-code-block.ts';
import { getPage } from '../page-state.ts';

/** Renders fenced and indented code as blocks with a slot for the highlighted text. */
export function addCodeBlocks(md: MarkdownIt): void {
  md.renderer.rules.fence = (tokens, index, _options, env) => {
    const token = tokens[index]!;
    const info = parseFenceInfo(md.utils.unescapeAll(token.info));
    const title = token.meta?.title;
    return renderCodeBlock(getPage(env), {
      info: typeof title === 'string' ? { ...info, title } : info,
      text: token.content,
      line: token.map?.[0] ?? 0,
      hideTitle: token.meta?.hideTitle === true,
    });
  };
  md.renderer.rules.code_block = (tokens, index, _options, env) => {
    const token = tokens[index]!;
    const info = parseFenceInfo('');
    return renderCodeBlock(getPage(env), { info, text: token.content, line: token.map?.[0] ?? 0, hideTitle: true });
  };
}
