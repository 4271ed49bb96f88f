import styles from '#button-styles';
import { createElement } from '../create-element.ts';
import { type FoundDescription, findDescription, findNewest } from './description.ts';
import {
  addFilter,
  createGroup,
  createLanguageLink,
  createLink,
  createVersionLink,
  isTag,
  nativeName,
} from './elements.ts';
import { type Project, pageVersion } from './find-project.ts';
import { findTexts, type Texts } from './texts.ts';

/**
 * Adds the button to the page: a disclosure in a shadow root, which floats above the page and moves nothing. The header of our pages
 * does the same: where there is one, the button is there while it is out of sight. Opening it asks for the description; foreign
 * pages, which may be old, ask when idle.
 */
export function createButton(project: Project): void {
  const { root, isForeign, isSingle } = project;
  const texts = findTexts(document.documentElement.lang);
  const [, label, , , , missing, reading, newer] = texts;
  const host = createElement('docbuild-button', {});
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  shadow.adoptedStyleSheets = [sheet];
  const button = createElement('button', { title: label }, label);
  const name = (version: string | undefined, tag = document.documentElement.lang): void => {
    if (version) button.textContent = `${document.body.dataset['version'] ?? version} · ${nativeName(tag)}`;
  };
  const panel = createElement('div', {}, '…');
  const nav = createElement('nav', { 'aria-label': label, tabindex: '-1' }, button, panel);
  const show = (isOpen: boolean): void => {
    panel.hidden = !isOpen;
    button.setAttribute('aria-expanded', `${isOpen}`);
  };
  // The version and language of our own pages are shown before anything is requested.
  const version = isSingle ? '' : pageVersion(root);
  name(version);
  show(false);
  shadow.append(nav);
  const giveWay = (): void => {
    // Where the page wants the button, that is its script, which is never in sight.
    const header = document.querySelector('[data-float],.site-header');
    if (!header) return;
    nav.hidden = true;
    new IntersectionObserver(([entry]) => {
      // The header may have learned what `latest` stands for.
      name(version);
      nav.hidden = entry!.isIntersecting && (panel.hidden as boolean);
      // A preview has replaced it.
      if (!header.isConnected) giveWay();
    }).observe(header);
  };
  if (!isForeign) giveWay();
  document.body.append(host);

  let path: string | undefined;
  let answer: Promise<FoundDescription>;
  let note: Element | undefined;
  // A page that turns into another without loading counts as a new page.
  const ask = (): Promise<FoundDescription> => {
    if (path !== location.pathname) answer = findDescription(project);
    path = location.pathname;
    return answer;
  };
  const update = async (): Promise<void> => {
    try {
      const description = await ask();
      const { here, latest, showNav, tags } = description;
      if (showNav === false) host.remove();
      name(here.version, isForeign ? (tags?.[here.lang] ?? here.lang) : undefined);
      // Our pages have a place for it.
      const newest = isForeign && findNewest(description);
      note?.remove();
      if (newest) {
        const text = `${reading} ${here.version}; ${newer} ${newest}`;
        note = createLink(description, '', here.lang, newest === latest ? 'latest' : newest, text);
        button.after(note);
      }
      if (!panel.hidden) fillPanel(panel, description, texts);
    } catch {
      // Whoever opens it again may be luckier.
      path = '';
      panel.textContent = `${label}: ${missing}`;
    }
  };
  button.onclick = () => {
    show(panel.hidden as boolean);
    if (!panel.hidden) update();
  };
  nav.onkeydown = ({ key }) => {
    if (key !== 'Escape') return;
    button.focus();
    show(false);
  };
  nav.addEventListener('focusout', ({ relatedTarget }) => nav.contains(relatedTarget as Node | null) || show(false));
  addEventListener('pointerdown', ({ target }) => target === host || show(false));
  // Links carry the page's hash.
  addEventListener('hashchange', () => path && update());
  if (isForeign) (window.requestIdleCallback ?? setTimeout)(update);
}

/** Fills the panel: languages, branches, tags, each a named list of links, and the git address. */
function fillPanel(panel: HTMLElement, description: FoundDescription, texts: Texts): void {
  const { versions, here, hideGit, url, compare } = description;
  const [, , languages, branches, tags, missing] = texts;
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
    compare ?? '',
  );
  // The link keeps its text but gets no address unless that is one of the web.
  if (!hideGit && url)
    panel.append(createGroup('Git', [createElement('a', { href: /^https?:/.test(url) && url }, url)]));
  addFilter(panel, `${branches}, ${tags}`, groups);
}
