/** Creates an element; empty attributes are left out, strings among the children become text, never markup. */
export function createElement<Name extends string>(
  name: Name,
  attributes: Readonly<Record<string, string | false>> = {},
  ...children: readonly (Node | string)[]
): Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement {
  const element = document.createElement(name);
  for (const key in attributes) if (attributes[key]) element.setAttribute(key, attributes[key]);
  element.append(...children);
  return element as ReturnType<typeof createElement<Name>>;
}
