import { createElement } from '../create-element.ts';
import type { FoundDescription } from './description.ts';
import { addFilter, createGroup, createLanguageLink, createVersionLink, isTag } from './elements.ts';
import type { Texts } from './texts.ts';

/** Fills the panel: languages, branches, tags, each a named list of links, and the git address. */
export function fillPanel(panel: HTMLElement, description: FoundDescription, texts: Texts): void {
  const { versions, here, hideGit, url } = description;
  const [, , languages, branches, tags, missing, source] = texts;
  const { lang } = here;
  const groups = [false, true].map((wantsTags) =>
    createGroup(
      wantsTags ? tags : branches,
      versions[lang]!.filter((name) => isTag(description, name) === wantsTags).map((name) =>
        createVersionLink(description, missing, name),
      ),
    ),
  );
  panel.replaceChildren(
    createGroup(
      languages,
      Object.keys(versions).map((code) => createLanguageLink(description, missing, code)),
    ),
    ...groups,
  );
  if (!hideGit && url) {
    const own = document.querySelector<HTMLAnchorElement>('a.edit')?.href;
    panel.append(createGroup('Git', [createOutsideLink(own || url, source), createOutsideLink(url, url)]));
  }
  addFilter(panel, `${branches}, ${tags}`, groups);
}

/** The link keeps its text but gets no address unless that is one of the web. */
function createOutsideLink(url: string, text: string): Node {
  return createElement('a', { href: /^https?:/.test(url) && url }, text);
}
