/** Menus of the header are `<details>`: this closes them by Escape, a click beside them, or when the focus leaves. */
export function handleMenus(): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('.site-header details')) {
    menu.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.querySelector('summary')!.focus();
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
