/**
 * The sidebar and the table of contents are popovers: opening, Escape, clicks beside and the focus's way back are the
 * browser's work. This moves the focus to where reading continues, and closes whatever would cover it.
 */
export function handleDrawers(): void {
  for (const drawer of document.querySelectorAll<HTMLElement>('[popover]')) {
    if (!drawer.hidePopover) continue;
    drawer.addEventListener('toggle', (event) => {
      if ((event as ToggleEvent).newState !== 'open') return;
      const target = drawer.querySelector<HTMLElement>('[aria-current]') ?? drawer.querySelector<HTMLElement>('a');
      target?.focus();
      target?.scrollIntoView({ block: 'nearest' });
    });
    drawer.addEventListener('focusout', (event) => {
      const next = event.relatedTarget as Element | null;
      if (next && !drawer.contains(next) && isOpen(drawer)) drawer.hidePopover();
    });
    drawer.addEventListener('click', (event) => {
      if ((event.target as Element).closest('a') && isOpen(drawer)) drawer.hidePopover();
    });
    for (const query of ['(min-width: 60rem)', '(min-width: 80rem)']) {
      matchMedia(query).addEventListener('change', () => {
        if (isOpen(drawer)) drawer.hidePopover();
      });
    }
  }
}

function isOpen(drawer: HTMLElement): boolean {
  return drawer.matches(':popover-open');
}
