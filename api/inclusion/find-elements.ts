import { compile, selectAll } from 'css-select';
import type { Markup } from './parse-markup.ts';

/** An element of a parsed page. */
export type MarkupElement = Extract<Markup['children'][number], { readonly attribs: unknown }>;

/** Creates a function that gives all elements of a page which a selector stands for. */
export function createFinder(selector: string, { xmlMode = false } = {}): (page: Markup) => readonly MarkupElement[] {
  const options = { xmlMode };
  const isMeant = compile(selector, options);
  return (page) => selectAll(isMeant, page, options) as readonly unknown[] as MarkupElement[];
}

/** Returns an attribute's value; undefined where there is none. */
export function attributeOf(element: MarkupElement, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}
