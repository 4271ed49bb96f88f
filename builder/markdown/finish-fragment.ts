import type { CodeBlock, Fragment, LinkSlot } from '../model.ts';
import type { CodeSlot, Draft } from './draft.ts';

/**
 * Puts the highlighted code into a draft; `highlighted` gives a block's HTML, its lines separated by "\n" and no span
 * over a line's end, or undefined for a block that stays plain.
 */
export function finishFragment(draft: Draft, highlighted: (block: CodeBlock) => string | undefined): Fragment {
  const { headings, title, ids, warnings } = draft;
  const parts = draft.html.split('\0');
  const slots: LinkSlot[] = [];
  let html = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const slot = draft.slots[Number(parts[i])];
    if (slot === undefined) throw new RangeError(`Draft has no slot "${parts[i]}"`);
    if (slot.kind === 'code') {
      html += markLines(highlighted(slot.block) ?? escapeText(slot.block.text), slot.marks);
    } else {
      html += `\0${slots.length}\0`;
      slots.push(slot);
    }
    html += parts[i + 1]!;
  }
  return { html, slots, headings, title, ids, warnings };
}

function markLines(html: string, marks: CodeSlot['marks']): string {
  if (marks.length === 0) return html;
  const lines = html.split('\n');
  for (const [line, classes] of marks) {
    if (line < lines.length) lines[line] = `<span class="line ${classes}">${lines[line]}</span>`;
  }
  return lines.join('\n');
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (character) => escapes[character]!) : text;
}
