import { decodeHTMLAttribute } from 'entities';
import { escapeHtml } from '../../../lib/html-text.ts';
import { fillTemplate } from '../foreign/fill-text.ts';
import { evaluateExpression, evaluateValue } from '../foreign/template-tags.ts';
import { openAttribute } from '../html/open-addresses.ts';
import type { Tag, TagAttribute } from '../html/scan-tag.ts';
import { takeAuthorId } from '../page/page-ids.ts';
import { addLinkSlot, type PageState } from '../page/page-state.ts';

/** An opening tag in a text. */
export interface OpeningTag {
  readonly html: string;
  readonly at: number;
  readonly tag: Tag;
  readonly line: number;
}

/** Returns whether a tag has an attribute that only Vue understands. */
export function hasVueAttribute(tag: Tag): boolean {
  return tag.attributes.some(isVueAttribute);
}

/** Returns an opening tag with slots for URLs and without attributes of Vue and JSX; records its ids. */
export function rewriteAttributes(page: PageState, { html, at, tag, line }: OpeningTag): string {
  const element = tag.name.toLowerCase();
  const rel = tag.attributes.find(({ name }) => name.toLowerCase() === 'rel')?.value;
  let result = '';
  let isChanged = false;
  for (const attribute of tag.attributes) {
    const source = html.slice(attribute.start, attribute.end);
    const written = rewriteAttribute(page, attribute, { source, element, rel, line });
    if (written !== source) isChanged = true;
    if (written !== '') result += ` ${written}`;
  }
  if (!isChanged && !tag.isSelfClosing) return html.slice(at, tag.end);
  return `<${tag.name}${result}>`;
}

interface AttributePlace {
  readonly source: string;
  readonly element: string;
  readonly rel: string | undefined;
  readonly line: number;
}

/** Attributes whose names differ in JSX. */
const NAME_OF_PROPERTY = new Map([
  ['className', 'class'],
  ['htmlFor', 'for'],
  ['srcSet', 'srcset'],
]);

function rewriteAttribute(page: PageState, written: TagAttribute, place: AttributePlace): string {
  const attribute = written.isExpression ? evaluateAttribute(page, written) : evaluateBinding(page, written);
  if (attribute === undefined || isVueAttribute(attribute)) return '';
  const { source, element, rel, line } = place;
  if (!attribute.value) return attribute.name === 'markdown' ? '' : source;
  const name = (NAME_OF_PROPERTY.get(attribute.name) ?? attribute.name).toLowerCase();
  if (name === 'markdown' && /^(?:1|block|span|true)$/.test(attribute.value)) return '';
  const decoded = decodeHTMLAttribute(attribute.value);
  const value = fillTemplate(page, decoded, line);
  if (value === undefined) return '';
  const id = name === 'id' ? takeAuthorId(page, value, line) : value;
  if (id !== value) return `id="${escapeHtml(id)}"`;
  if (name === 'name' && element === 'a') page.ids.add(value);
  const opened = openAttribute({ element, name, value, rel }, (kind, url) => addLinkSlot(page, kind, url, line));
  if (opened !== undefined) return `${name}="${opened}"`;
  const isAsWritten = value === decoded && attribute === written && name === attribute.name.toLowerCase();
  return isAsWritten ? source : `${name}="${escapeHtml(value)}"`;
}

/** Returns an attribute that Vue computes, `:src="$withBase('/a.png')"`, with its value where that is a literal. */
function evaluateBinding(page: PageState, attribute: TagAttribute): TagAttribute {
  const name = /^(?::|v-bind:)(src|href|alt|title|poster)$/.exec(attribute.name)?.[1];
  if (name === undefined || attribute.value === undefined) return attribute;
  const code = decodeHTMLAttribute(attribute.value);
  const value = evaluateValue(page, code) ?? evaluateExpression(page, code);
  return value === undefined ? attribute : { ...attribute, name, value: escapeHtml(value) };
}

/** Returns an attribute of JSX with the value that its expression stands for; undefined if it is computed. */
function evaluateAttribute(page: PageState, attribute: TagAttribute): TagAttribute | undefined {
  if (attribute.name === '' || attribute.value === undefined || /^on[A-Z]/.test(attribute.name)) return undefined;
  const value = evaluateExpression(page, attribute.value);
  return value === undefined ? undefined : { ...attribute, value: escapeHtml(value), isExpression: false };
}

function isVueAttribute({ name, isExpression }: TagAttribute): boolean {
  return isExpression || /^(?:v-|[:@#])/.test(name);
}
