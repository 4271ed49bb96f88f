import { decodeHTMLAttribute } from 'entities';
import { escapeHtml } from './escape-html.ts';
import type { Tag } from './scan-tag.ts';

const kinds = new Set(['info', 'tip', 'warning', 'danger']);

/** Returns the opening of a badge, `<Badge type="tip" text="beta" />`, with its text; the caller closes the span. */
export function renderBadge(tag: Tag): string {
  const type = findValue(tag, 'type');
  const kind = type !== undefined && kinds.has(type) ? type : 'tip';
  return `<span class="badge ${kind}">${escapeHtml(decodeHTMLAttribute(findValue(tag, 'text') ?? ''))}`;
}

function findValue(tag: Tag, name: string): string | undefined {
  return tag.attributes.find((attribute) => attribute.name === name && !attribute.isExpression)?.value;
}
