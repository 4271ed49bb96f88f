/**
 * Menus in an element are `<details>`: this closes them by Escape, a click beside them or on a link, or when the focus leaves. Arrow
 * keys go through what they hold, Home and End to its ends, and Enter in a filter follows the first link that it leaves. A menu within
 * a menu is a part of it that Escape closes first. Menus that are handled already stay as they are.
 */
export function handleMenus(parent: Element | null = document.querySelector('.site-header')): void {
  for (const menu of parent?.querySelectorAll('details') ?? []) {
    if (handled.has(menu)) continue;
    handled.add(menu);
    const summary = menu.querySelector('summary')!;
    menu.addEventListener('keydown', (event) => {
      const { key, target, defaultPrevented } = event;
      if (defaultPrevented) return;
      if (key === 'Escape' && menu.open) {
        event.preventDefault();
        menu.open = false;
        summary.focus();
        return;
      }
      if (menu.parentElement!.closest('details')) return;
      const step = STEPS.get(key);
      if (step) {
        event.preventDefault();
        if (!menu.open) menu.open = true;
        else moveFocus(menu, step, target as Element);
      } else if (!(target instanceof HTMLInputElement)) {
        if (target === summary || (key !== 'Home' && key !== 'End')) return;
        event.preventDefault();
        moveFocus(menu, key === 'Home' ? 1 : -1);
      } else if (key === 'Enter' && target.value) {
        event.preventDefault();
        menu.querySelector<HTMLElement>('li:not([hidden]) > a')?.click();
      }
    });
    menu.addEventListener('click', ({ target }) => {
      if ((target as Element).closest('a')) menu.open = false;
    });
    menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget && !menu.contains(relatedTarget as Node)) menu.open = false;
    });
    // On the body, so that the preview drops it with the body that it replaces.
    document.body.addEventListener('pointerdown', ({ target }) => {
      if (!menu.contains(target as Node)) menu.open = false;
    });
  }
}

const handled = new WeakSet<Element>();

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

/** Moves the focus on or back from an element of a menu, and around its ends. */
function moveFocus(menu: Element, step: number, from?: Element): void {
  const inside = [...menu.querySelectorAll<HTMLElement>(':scope > :not(summary) :is(input, a, summary)')];
  const items = inside.filter(
    (item) => item.getClientRects()[0] && !item.matches('details:not([open]) > :not(summary) *'),
  );
  const place = items.indexOf(from as HTMLElement);
  const next = place < 0 && step < 0 ? -1 : (place + step) % items.length;
  items.at(next)?.focus();
}
