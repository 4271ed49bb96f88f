/** Signs that mean something in Markdown, in HTML, or in the templates of generators. */
const SIGNS = /[\\`*_{}[\]<>#|&!~^=+$:@]/g;

/** Returns text that Markdown shows as it is, on one line. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(SIGNS, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns text as code inside a line. */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const gap = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Returns a block of code. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** Returns Markdown for the cell of a table: its paragraphs are below each other. */
function cell(markdown: string): string {
  const lines = markdown.trim().split(/\n[ \t]*\n/);
  return lines.map((part) => part.replace(/\s+/g, ' ').replace(/(?<!\\)\|/g, '\\|')).join('<br>');
}

/**
 * Returns the Markdown of an author as a part of a page: its headings are below `level`, and a block of code that it leaves open ends
 * with it.
 */
export function prose(markdown: string, level: number): string {
  let fence = '';
  const lines = markdown
    .trim()
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (mark !== '' && (fence === '' || (mark.startsWith(fence) && line.trim() === mark)))
        fence = fence === '' ? mark : '';
      else if (fence === '') {
        return line.replace(
          /^( {0,3})(#{1,6})(?=\s)/,
          (_, indent: string, signs: string) => indent + '#'.repeat(Math.min(6, signs.length + level)),
        );
      }
      return line;
    });
  if (fence !== '') lines.push(fence);
  return lines.length === 1 && lines[0] === '' ? '' : `${lines.join('\n')}\n`;
}

/** Returns a table of Markdown; columns in which nothing stands are left out. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = titles.map((_, at) => at).filter((at) => rows.some((row) => row[at] !== ''));
  const write = (row: readonly string[]): string => `| ${shown.map((at) => cell(row[at]!)).join(' | ')} |`;
  return rows.length === 0 ? '' : `${[write(titles), write(titles.map(() => '---')), ...rows.map(write)].join('\n')}\n`;
}

/** Returns a name for URLs and ids. */
export function slugOf(text: string): string {
  return (text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join('-').toLowerCase();
}
