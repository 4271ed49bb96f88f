import { type FoundDescription, requestDescription, type SharingBody } from '../button/description.ts';
import { addFilter, createGroup, createLanguageLink } from '../button/elements.ts';
import { findProject, type Project, pageVersion } from '../button/find-project.ts';
import { createCompareLink } from '../compare-opener.ts';
import { createElement } from '../create-element.ts';
import { createHistoryLink } from '../history-opener.ts';
import type { SiteStorage } from '../site-storage.ts';
import { listVersions } from './list-versions.ts';
import { locatePage } from './locate-page.ts';

/** The header's own: what authors write stands deeper. */
const BAR = 'body > .site-header .switches';

const NAME = 'latest';
/** For so long it is taken for true which version `latest` stands for. */
const FRESH_MS = 300_000;

/** Returns the version that `latest` stands for, as this visit has learned it, and when. */
function readLatest(session: SiteStorage): readonly [name: string, time: number] | undefined {
  const known = session.read(NAME);
  return Array.isArray(known) && typeof known[0] === 'string' ? (known as [string, number]) : undefined;
}

/**
 * Names the version of the page at once, from its address: the pages of versions share their text. For `latest` it is the name of
 * the version, where this visit has learned it; the nav button reads it, too.
 */
export function nameVersion(session: SiteStorage): void {
  const fill = (): boolean => {
    const bar = document.querySelector<HTMLElement>(BAR);
    const text = bar?.querySelector('[data-version]');
    if (!bar || !text) return false;
    const version = pageVersion(findProject(bar)!.root);
    const latest = version === 'latest' && readLatest(session)?.[0];
    if (latest) document.body.dataset['version'] = latest;
    if (version) text.textContent = latest || decodeURIComponent(version);
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
 * when opened, by one answer, which the nav button asks for, too; pages of `latest` ask once in a while for what that stands for.
 */
export function setUpSwitches(session: SiteStorage): void {
  const bar = document.querySelector<HTMLElement>(BAR);
  const project = bar && findProject(bar);
  if (!bar || !project) return;
  const words = bar.dataset['words']!.split('|');
  const [branches, tags, missing, filter, failed, newest, unreleased] = words as [
    ...[string, string, string, string],
    ...[string, string, string],
  ];
  const isLatest = pageVersion(project.root) === 'latest';
  let answer: Promise<FoundDescription> | undefined;
  const ask = (): Promise<FoundDescription> => {
    if (answer) return answer;
    answer = request(project).then((found) => ({ ...found, compare: createElement('span', {}, ...listMore(found)) }));
    answer.then(
      ({ latest }) => {
        session.write(NAME, [latest, Date.now()]);
        if (isLatest) document.body.dataset['version'] = latest;
      },
      // After an outage it is asked for again.
      () => {
        answer = undefined;
      },
    );
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
        const listLanguages = (): HTMLUListElement =>
          createGroup(
            title,
            Object.keys(description.versions).map((code) => createLanguageLink(description, missing, code)),
          );
        const isOfVersions = summary.querySelector('[data-version]') !== null;
        const groups = isOfVersions
          ? listVersions(description, { branches, tags, missing, newest, unreleased })
          : [listLanguages()];
        panel.replaceChildren(...groups);
        const more = isOfVersions ? listMore(description) : [];
        if (more[0]) panel.append(createElement('p', { class: 'switch-more' }, ...more));
        addFilter(panel, filter, groups);
        filledAt = location.href;
      } catch {
        panel.replaceChildren(
          createElement('p', {}, failed, ' ', createElement('a', { href: link.getAttribute('href')! }, title)),
        );
      }
    };
    menu.addEventListener('toggle', async () => {
      if (!menu.open) return;
      // What stands above the header pushes it down.
      panel.style.setProperty('--top', `${panel.getBoundingClientRect().top}px`);
      await fill();
      // Not where that covers the list with a keyboard, and not if the reader has gone elsewhere meanwhile.
      const isHere = menu.open && (menu.contains(document.activeElement) || document.activeElement === document.body);
      if (isHere && matchMedia('(pointer: fine)').matches) panel.querySelector('input')?.focus({ preventScroll: true });
    });
    addEventListener('hashchange', () => filledAt && fill());
    link.replaceWith(menu);
  }
  const age = Date.now() - (readLatest(session)?.[1] ?? 0);
  if (!isLatest || age < FRESH_MS) return;
  const showLatest = async (): Promise<void> => {
    const { latest } = await ask();
    const text = bar.querySelector<HTMLElement>('[data-version]');
    if (!text) return;
    const { textContent: before, offsetWidth } = text;
    text.textContent = latest;
    // Nothing moves: a longer name waits for the next page.
    if (text.offsetWidth > offsetWidth) text.textContent = before;
  };
  (window.requestIdleCallback ?? setTimeout)(() => showLatest().catch(() => {}));
}

/** Returns links to a comparison of the page with another version, and to its history, where it has them. */
function listMore(description: FoundDescription): readonly HTMLElement[] {
  return [createCompareLink(description), createHistoryLink()].filter((link) => link !== undefined);
}

function request(project: Project): Promise<FoundDescription> {
  return project.api
    ? requestDescription(project)
    : requestDescription(project, `${project.root}versions.json`, locatePage);
}
