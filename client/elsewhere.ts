import type { FoundDescription, SharingBody } from './button/description.ts';
import { createLanguageLink, createLink, createVersionLink } from './button/elements.ts';
import { createElement } from './create-element.ts';

/** Versions that are named at most. */
const MAX_LINKS = 60;

/** Lists, on the page for an address without a page, the versions and languages that have the page that was asked for. */
export async function listElsewhere(): Promise<void> {
  const section = document.querySelector<HTMLElement>('main > .elsewhere');
  const { docbuild } = document.body as SharingBody;
  if (!section || !docbuild) return;
  try {
    const links = findLinks(await docbuild());
    if (links.length === 0) return;
    section.querySelector('ul')!.replaceChildren(...links.map((link) => createElement('li', {}, link)));
    section.hidden = false;
  } catch {
    // Without an answer, search and the way home are left.
  }
}

/** Links to the page in its own language, the newest version first, then in each other language once. */
function findLinks(description: FoundDescription): readonly Node[] {
  const { here, versions, single } = description;
  if (here.path === undefined) return [];
  const having = here.alternates.filter(({ exists }) => exists);
  const own = having
    .filter(({ lang }) => lang === here.lang)
    .map(({ version }) => createVersionLink(description, '', version));
  const others = Object.keys(versions).flatMap((lang) => {
    const found = lang === here.lang ? [] : having.filter((one) => one.lang === lang);
    const [one] = [...found.filter(({ version }) => version === here.version), ...found];
    if (!one) return [];
    const name = createLanguageLink(description, '', lang).firstChild!;
    const link = createLink(description, '', lang, one.version, name);
    if (one.version !== here.version) link.append(` (${one.version})`);
    return [link];
  });
  return [...(single ? [] : own), ...others].slice(0, MAX_LINKS);
}
