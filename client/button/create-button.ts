import styles from '#button-styles';
import { createElement } from '../create-element.ts';
import { type FoundDescription, findDescription, findNewest } from './description.ts';
import { createLink, nativeName } from './elements.ts';
import { fillPanel } from './fill-panel.ts';
import { type Project, pageVersion } from './find-project.ts';
import { findTexts } from './texts.ts';

/**
 * Adds the button to the page: a disclosure in a shadow root, which floats above the page and moves nothing. Opening it asks
 * for the description; pages that may be old, and foreign ones, ask when idle.
 */
export function createButton(project: Project): void {
  const { root, isForeign, isSingle } = project;
  const texts = findTexts(document.documentElement.lang);
  const [, label, , , , missing, , reading, newer] = texts;
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
  if (isForeign || (version && version !== 'latest')) {
    (window.requestIdleCallback ?? setTimeout)(update);
  }
}
