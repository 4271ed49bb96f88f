import type { CodeBlock, Fragment, LinkSlot } from '../model.ts';
import type { CodeSlot, Draft } from './draft.ts';

/** Returns what a page says of itself, which does not wait for its code. */
export function describeDraft({ html, slots, headings, title, ids, warnings }: Draft): Omit<Fragment, 'html'> {
  const links: LinkSlot[] = [];
  for (const [, place] of html.matchAll(/\0(\d+)\0/g)) {
    const slot = slots[Number(place)];
    if (slot !== undefined && slot.kind !== 'code') links.push(slot);
  }
  return { slots: links, headings, title, ids, warnings };
}

/**
 * Puts the highlighted code into a draft; `highlighted` gives a block's HTML, its lines separated by "\n" and no span
 * over a line's end, or undefined for a block that stays plain.
 */
export function finishFragment(draft: Draft, highlighted: (block: CodeBlock) => string | undefined): Fragment {
  const parts = draft.html.split('\0');
  let links = 0;
  let html = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const slot = draft.slots[Number(parts[i])];
    if (slot === undefined) throw new RangeError(`Draft has no slot "${parts[i]}"`);
    if (slot.kind === 'code') html += markLines(highlighted(slot.block) ?? escapeText(slot.block.text), slot.marks);
    else html += `\0${links++}\0`;
    html += parts[i + 1]!;
  }
  return { html, ...describeDraft(draft) };
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
