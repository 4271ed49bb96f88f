import type { FoundDescription } from '../button/description.ts';
import { addFilter, createGroup, isTag } from '../button/elements.ts';
import { createElement } from '../create-element.ts';
import { handleMenus } from '../menus.ts';
import type { CompareWords } from './compare-words.ts';
import { addressOf, findPlace, nameVersion, type Versions } from './versions.ts';

/** The bar above a comparison: which versions, how they are shown, and the way from change to change. */
export interface Bar {
  readonly element: HTMLElement;
  /** Shows how many changes there are, and which one is at hand; 0 = none. */
  count(number: number, total: number): void;
  /** Says something instead. */
  say(text: string): void;
}

/** The actions of the bar's buttons. */
export interface BarActions {
  readonly isBeside: boolean;
  readonly hidesSame: boolean;
  setBeside(isBeside: boolean): void;
  setHiding(hidesSame: boolean): void;
  /** Goes to the next change, or with -1 to the one before. */
  step(by: 1 | -1): void;
}

/** Creates the bar. Choosing and closing are links: they lead to the address of what they show. */
export function createBar(
  description: FoundDescription,
  { from, to }: Versions,
  words: CompareWords,
  actions: BarActions,
): Bar {
  const pages = (direction: 'from' | 'to'): HTMLElement => {
    const chosen = direction === 'from' ? from : to;
    const panel = createElement('div', { class: 'switch-panel' });
    const summary = createElement(
      'summary',
      { class: 'switch', 'aria-label': `${words[direction]}: ${nameVersion(description, chosen)}` },
      createElement('bdi', {}, nameVersion(description, chosen)),
    );
    const menu = createElement('details', { class: 'switch-menu' }, summary, panel);
    const create = (version: string): Node => {
      const pair = direction === 'from' ? { from: version, to } : { from, to: version };
      const isThere = findPlace(description, version)?.exists;
      return createElement(
        'a',
        { href: addressOf(description, pair) ?? false, 'aria-current': version === chosen && 'true' },
        version === 'latest' ? `${version} → ${description.latest}` : version,
        isThere ? '' : createElement('small', {}, ` ${words.absent}`),
      );
    };
    const [branches, tags] = document.querySelector<HTMLElement>('.switches')!.dataset['words']!.split('|');
    const groups = [false, true].map((wantsTags) =>
      createGroup(
        (wantsTags ? tags : branches) ?? '',
        (description.versions[description.here.lang] ?? [])
          .filter((name) => isTag(description, name) === wantsTags)
          .map(create),
      ),
    );
    panel.append(...groups);
    menu.addEventListener('toggle', () => {
      if (menu.open && !panel.querySelector('input')) addFilter(panel, words[direction], groups);
    });
    return menu;
  };
  const button = (
    text: string,
    icon: string,
    action: () => void,
    attributes: Record<string, string> = {},
  ): HTMLElement => {
    const element = createElement('button', {
      type: 'button',
      class: `compare-button ${icon}`,
      title: text,
      'aria-label': text,
      ...attributes,
    });
    element.addEventListener('click', action);
    return element;
  };
  const link = (text: string, icon: string, address: string): HTMLElement =>
    createElement('a', { class: `compare-button ${icon}`, href: address, title: text, 'aria-label': text });

  const status = createElement('p', { class: 'compare-count', role: 'status' });
  const steps = ([-1, 1] as const).map((by) =>
    button(
      `${by < 0 ? words.previous : words.following} (${by < 0 ? 'P' : 'N'})`,
      by < 0 ? 'is-up' : 'is-down',
      () => actions.step(by),
      {
        'aria-keyshortcuts': by < 0 ? 'P K' : 'N J',
      },
    ),
  );
  const choices = ([false, true] as const).map((isBeside) => {
    const input = createElement('input', { type: 'radio', name: '_compare-view', autocomplete: 'off' });
    input.checked = isBeside === actions.isBeside;
    input.addEventListener('change', () => actions.setBeside(isBeside));
    return createElement('label', {}, input, createElement('span', {}, isBeside ? words.beside : words.inline));
  });
  const views = createElement('fieldset', { class: 'compare-views', 'aria-label': words.view }, ...choices);
  const hiding = createElement('input', { type: 'checkbox', autocomplete: 'off' });
  hiding.checked = actions.hidesSame;
  hiding.addEventListener('change', () => actions.setHiding(hiding.checked));
  const hide = createElement('label', { class: 'compare-hide' }, hiding, words.hide);
  const copy = button(words.copy, 'is-link', async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = words.copied;
    } catch {
      // A page without https has no clipboard: the address is in the browser's bar.
      copy.remove();
    }
  });
  const closed = new URL(location.href);
  closed.searchParams.delete('compare');
  const swapped = addressOf(description, { from: to, to: from });
  const element = createElement(
    'section',
    { class: 'compare-bar', 'aria-label': words.title },
    createElement(
      'div',
      { class: 'compare-versions' },
      createElement('span', {}, words.title),
      pages('from'),
      createElement('span', { class: 'compare-arrow', 'aria-hidden': 'true' }),
      pages('to'),
      ...(swapped ? [link(words.swap, 'is-swap', swapped)] : []),
    ),
    views,
    hide,
    createElement(
      'div',
      { class: 'compare-steps' },
      status,
      ...steps,
      copy,
      link(words.close, 'is-close', closed.href),
    ),
  );
  handleMenus(element);
  const enable = (areSteps: boolean): void => {
    for (const step of steps) (step as HTMLButtonElement).disabled = !areSteps;
    for (const part of [views, hide, ...steps]) part.hidden = !areSteps;
  };
  enable(false);
  return {
    element,
    count(number, total) {
      enable(total > 0);
      const format = new Intl.NumberFormat(document.documentElement.lang || 'en').format;
      const [text, values] =
        total === 0 ? [words.none, []] : number === 0 ? [words.total, [total]] : [words.count, [number, total]];
      const [first = 0, second = 0] = values as readonly number[];
      status.textContent = text
        .replace('{number}', format(first))
        .replace('{count}', format(number === 0 ? first : second));
    },
    say(text) {
      enable(false);
      status.textContent = text;
    },
  };
}
