/** Creates an element; empty attributes are left out, strings among the children become text, never markup. */
export function createElement(
  name: string,
  attributes: Readonly<Record<string, string | false>>,
  ...children: readonly (Node | string)[]
): HTMLElement {
  const element = document.createElement(name);
  for (const key in attributes) if (attributes[key]) element.setAttribute(key, attributes[key]);
  element.append(...children);
  return element;
}
