import { createElement } from '../create-element.ts';
import type { FoundDescription } from './description.ts';
import { createLink, nativeName, toTag } from './elements.ts';
import type { Texts } from './texts.ts';

const UNFILTERED = 10;

/** Fills the panel: languages, branches, tags, each a named list of links, and the git address. */
export function fillPanel(panel: HTMLElement, root: string, description: FoundDescription, texts: Texts): void {
  const { versions, refs, latest, here, hideGit, url, edit } = description;
  const [, , languages, branches, tags, missing, source] = texts;
  const { lang, version } = here;
  const names = versions[lang]!;
  const isTag = (name: string): boolean => refs[name === 'latest' ? latest : name]?.kind === 'tag';
  const present = (name: string): HTMLElement =>
    createLink(root, here, missing, lang, name, name === 'latest' ? `${name} → ${latest}` : name);
  const addGroup = (title: string, links: readonly Node[]): void => {
    if (!links[0]) return;
    panel.append(createElement('ul', { 'aria-label': title }, ...links.map((link) => createElement('li', {}, link))));
  };
  panel.replaceChildren();
  addGroup(
    languages,
    Object.keys(versions).map((code) => {
      const name = createElement('bdi', { lang: toTag(code), dir: 'auto' }, nativeName(code));
      return createLink(root, here, missing, code, version, name);
    }),
  );
  const links = names.map(present);
  if (names[UNFILTERED]) panel.append(createFilter(`${branches}, ${tags}`, links));
  addGroup(
    branches,
    links.filter((_, index) => !isTag(names[index]!)),
  );
  addGroup(
    tags,
    links.filter((_, index) => isTag(names[index]!)),
  );
  if (hideGit || !url) return;
  const ref = version === 'latest' ? latest : version;
  const own = document.querySelector<HTMLAnchorElement>('a.edit')?.href;
  addGroup('Git', [
    createOutsideLink(edit?.replace('{ref}', () => encodeURI(ref)) || own || url, source),
    createOutsideLink(url, url),
  ]);
}

/** The link keeps its text but gets no address unless that is one of the web. */
function createOutsideLink(url: string, text: string): Node {
  return createElement('a', { href: /^https?:/.test(url) && url }, text);
}

function createFilter(name: string, links: readonly HTMLElement[]): Node {
  const input = createElement('input', { type: 'search', placeholder: name, 'aria-label': name });
  input.oninput = () => {
    for (const { parentElement, textContent } of links) {
      parentElement!.hidden = !textContent!.toLowerCase().includes(input.value.toLowerCase());
    }
  };
  return input;
}
