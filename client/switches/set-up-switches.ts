import { type FoundDescription, requestDescription, type SharingBody } from '../button/description.ts';
import { addFilter, createGroup, createLanguageLink, createVersionLink, isTag } from '../button/elements.ts';
import { findProject, type Project, pageVersion } from '../button/find-project.ts';
import { createElement } from '../create-element.ts';
import { locatePage } from './locate-page.ts';

/** The header's own: what authors write stands deeper. */
const BAR = 'body > .site-header .switches';

/** Names the version of the page at once, from its address: the pages of versions share their text. */
export function nameVersion(): void {
  const fill = (): boolean => {
    const bar = document.querySelector<HTMLElement>(BAR);
    const text = bar?.querySelector('[data-version]');
    if (!bar || !text) return false;
    const version = pageVersion(findProject(bar)!.root);
    if (version) text.textContent = decodeURIComponent(version);
    return true;
  };
  if (fill()) return;
  // Before the first paint, while the page is still read.
  const observer = new MutationObserver(() => {
    if (fill()) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', () => observer.disconnect());
}

/**
 * Turns the links to the lists of versions and languages into menus of what takes the place of the page at hand. They are filled
 * when opened, by one answer, which the nav button asks for, too.
 */
export function setUpSwitches(): void {
  const bar = document.querySelector<HTMLElement>(BAR);
  const project = bar && findProject(bar);
  if (!bar || !project) return;
  const [branches, tags, missing, filter, failed] = bar.dataset['words']!.split('|') as [
    string,
    string,
    string,
    string,
    string,
  ];
  let answer: Promise<FoundDescription> | undefined;
  const ask = (): Promise<FoundDescription> => {
    answer ??= request(project);
    // After an outage it is asked for again.
    answer.catch(() => {
      answer = undefined;
    });
    return answer;
  };
  (document.body as SharingBody).docbuild = ask;
  for (const link of bar.querySelectorAll<HTMLElement>('a.switch')) {
    const { title } = link;
    const panel = createElement('div', { class: 'switch-panel' }, '…');
    const summary = createElement('summary', { class: 'switch', title }, ...link.childNodes);
    const menu = createElement('details', { class: 'switch-menu' }, summary, panel);
    let filledAt: string | undefined;
    const fill = async (): Promise<void> => {
      // Links carry the page's hash.
      if (filledAt === location.href) return;
      try {
        const description = await ask();
        const { versions, here } = description;
        const listVersions = (wantsTags: boolean): HTMLUListElement => {
          const names = versions[here.lang]!.filter((name) => isTag(description, name) === wantsTags);
          return createGroup(
            wantsTags ? tags : branches,
            names.map((name) => createVersionLink(description, missing, name)),
          );
        };
        const listLanguages = (): HTMLUListElement =>
          createGroup(
            title,
            Object.keys(versions).map((code) => createLanguageLink(description, missing, code)),
          );
        const groups = summary.querySelector('[data-version]') ? [false, true].map(listVersions) : [listLanguages()];
        panel.replaceChildren(...groups);
        addFilter(panel, filter, groups);
        filledAt = location.href;
      } catch {
        panel.replaceChildren(
          createElement('p', {}, failed, ' ', createElement('a', { href: link.getAttribute('href')! }, title)),
        );
      }
    };
    menu.addEventListener('toggle', () => menu.open && fill());
    link.replaceWith(menu);
  }
}

function request(project: Project): Promise<FoundDescription> {
  return project.api
    ? requestDescription(project)
    : requestDescription(project, `${project.root}versions.json`, locatePage);
}
