import { createElement } from './create-element.ts';

/** The exports of `history.ts`, which is loaded when a reader asks for it. */
interface HistoryModule {
  showHistory(details: HTMLElement): Promise<void>;
  chooseVersions(form: HTMLFormElement): Promise<void>;
}

/** Creates a link to the history at the page's foot, where there is one. */
export function createHistoryLink(): HTMLAnchorElement | undefined {
  const name = document.querySelector('#_history > summary')?.textContent;
  return name ? createElement('a', { href: new URL('#_history', document.URL).href }, name) : undefined;
}

/** Shows the history at the page's foot, which is filled when it is opened, and the choice of versions on the page of what changed. */
export function setUpHistory(): void {
  const details = document.querySelector<HTMLDetailsElement>('main details#_history');
  const form = document.querySelector<HTMLFormElement>('main form[data-changes]');
  const load = (script: string): Promise<HistoryModule> =>
    import(new URL(script, document.baseURI).href) as Promise<HistoryModule>;
  if (form)
    load(form.dataset['changes']!).then(
      (history) => history.chooseVersions(form),
      () => {},
    );
  if (!details) return;
  const { script = '', words = '' } = details.dataset;
  details.hidden = false;
  let shown: Promise<void> | undefined;
  details.addEventListener('toggle', async () => {
    if (!details.open) return;
    try {
      shown ??= load(script).then((history) => history.showHistory(details));
      await shown;
    } catch {
      shown = undefined;
      if (!details.querySelector('p')) details.append(createElement('p', {}, words.split('|')[6]!));
    }
  });
  const openByAddress = (): void => {
    if (location.hash === `#${details.id}`) details.open = true;
  };
  openByAddress();
  addEventListener('hashchange', openByAddress);
}
