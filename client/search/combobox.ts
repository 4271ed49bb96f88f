import { createElement } from '../create-element.ts';

/** A field that keeps the focus, and the rows below it, of which one may be chosen. */
export interface Combobox {
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  /** Has Enter wait for the rows that are shown next: those that are there answer another text. */
  expect(): void;
  /** Shows rows, of which none is chosen. */
  show(rows: readonly HTMLElement[]): void;
  /** Chooses one of the expected rows, by default the first; follows it if Enter was pressed before they were there. */
  choose(row?: HTMLElement): void;
  /** Returns whether a row was chosen of those that were expected last. */
  isAnswered(): boolean;
  /** Chooses another row by the arrow keys, or follows the chosen one by Enter, in the field. */
  press(event: KeyboardEvent): void;
}

/** Longer queries are nobody's own words. */
const MAX_QUERY = '200';

/** Creates a combobox; labels are those of the field and of its list. */
export function createCombobox(label: string, listLabel: string): Combobox {
  const input = createElement('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': label,
    'aria-autocomplete': 'list',
    'aria-controls': '_search-list',
    placeholder: label,
    maxlength: MAX_QUERY,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'search',
    dir: 'auto',
  });
  const list = createElement('div', { id: '_search-list', role: 'listbox', 'aria-label': listLabel });
  let active: HTMLElement | undefined;
  let isAnswered = false;
  /** Enter was pressed before the rows were there. */
  let impatient: KeyboardEvent | undefined;

  const listOptions = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')];
  const activate = (option?: HTMLElement): void => {
    active?.setAttribute('aria-selected', 'false');
    active = option;
    if (option) {
      option.id = `_search-${listOptions().indexOf(option)}`;
      option.setAttribute('aria-selected', 'true');
      input.setAttribute('aria-activedescendant', option.id);
    } else input.removeAttribute('aria-activedescendant');
  };
  const show = (rows: readonly HTMLElement[]): void => {
    list.replaceChildren(...rows);
    list.hidden = !rows.length;
    list.scrollTop = 0;
    input.setAttribute('aria-expanded', `${!list.hidden}`);
    activate();
  };
  /** Clicks the chosen row as the keys that are held say. */
  const follow = ({ ctrlKey, metaKey, shiftKey }: KeyboardEvent): unknown =>
    active?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
  list.addEventListener('pointermove', ({ target }) => {
    const option = (target as Element).closest<HTMLElement>('[role="option"]');
    if (option && option !== active) activate(option);
  });
  // Until there is something to show: the first frame comes before that.
  show([]);
  return {
    input,
    list,
    expect() {
      isAnswered = false;
      impatient = undefined;
    },
    show,
    choose(row = listOptions()[0]) {
      activate(row);
      isAnswered = !!row;
      if (impatient) follow(impatient);
    },
    isAnswered: () => isAnswered,
    press(event) {
      const { key, target, isComposing } = event;
      if (isComposing) return;
      const isBack = key === 'ArrowUp';
      if (isBack || key === 'ArrowDown') {
        const options = listOptions();
        if (isBack) options.reverse();
        const next = options[(options.indexOf(active!) + 1) % options.length];
        if (next) {
          activate(next);
          next.scrollIntoView({ block: 'nearest' });
          event.preventDefault();
        }
      }
      if (key !== 'Enter' || target !== input) return;
      event.preventDefault();
      if (input.value.trim() && !isAnswered) impatient = event;
      else follow(event);
    },
  };
}
