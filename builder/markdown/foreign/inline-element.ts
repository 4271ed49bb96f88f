import { escapeHtml } from '../../../lib/html-text.ts';
import { findMeaning } from './elements.ts';
import type { ForeignElement } from './meaning.ts';

/**
 * Returns the HTML of an inline element: its opening tag if any, its text if it has no content, its closing tag.
 * Undefined for block elements and unknown ones.
 */
export function renderInlineElement(
  element: ForeignElement,
): { readonly open: string; readonly text: string; readonly close: string } | undefined {
  const meaning = findMeaning(element);
  switch (meaning?.as) {
    case 'inline': {
      const attribute = meaning.className === '' ? '' : ` class="${escapeHtml(meaning.className)}"`;
      return { open: `<${meaning.tag}${attribute}>`, text: meaning.text, close: `</${meaning.tag}>` };
    }
    case 'link':
      return {
        open: `<a${meaning.className === '' ? '' : ` class="${meaning.className}"`} href="${escapeHtml(meaning.href)}">`,
        text: meaning.text,
        close: '</a>',
      };
    case 'image':
      return { open: renderImage(meaning.attributes), text: '', close: '' };
    case 'code':
      return { open: '<code>', text: meaning.text ?? '', close: '</code>' };
    case 'box':
      return { open: '', text: [meaning.title, meaning.text].filter(Boolean).join(': '), close: '' };
    case 'content':
    case 'nothing':
    case 'toc':
    case 'include':
      return { open: '', text: '', close: '' };
    default:
      return undefined;
  }
}

/** Returns the tag of an image. */
export function renderImage(attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  return `<img${written.join('')} decoding="async" loading="lazy">`;
}
