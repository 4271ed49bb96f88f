import { createElement } from './create-element.ts';
import { handleMenus } from './menus.ts';

/**
 * Keeps the header in one row: links that have no room there, the last ones first, are in a menu at their end. It is done
 * before the header is painted, and again when its width changes.
 */
export function fitLinks(): void {
  // Until what follows the header has come, some of it may be missing.
  if (document.readyState === 'loading' && !document.querySelector('.site-header + *')) {
    requestAnimationFrame(fitLinks);
    return;
  }
  const list = document.querySelector<HTMLElement>('.site-links > ul');
  const bar = list?.closest('.bar');
  if (!list || !bar || list.dataset['fits']) return;
  list.dataset['fits'] = 'true';
  const items = [...list.children];
  const rest = createElement('ul');
  const summary = createElement('summary', { 'aria-label': list.parentElement!.dataset['more']! }, '…');
  const menu = createElement('li', { class: 'more-links' }, createElement('details', { name: MENUS }, summary, rest));
  handleMenus(menu);
  const fit = (): void => {
    if (menu.isConnected) {
      menu.remove();
      for (const item of items) item.querySelector('details')?.setAttribute('name', MENUS);
      list.append(...items);
    }
    if (!matchMedia('(width >= 60rem)').matches) return;
    for (let at = items.length - 1; at >= 0 && list.scrollWidth > list.clientWidth; at--) {
      list.append(menu);
      // Of menus with one name only one is open, and this one is in another.
      items[at]!.querySelector('details')?.removeAttribute('name');
      rest.prepend(items[at]!);
    }
  };
  new ResizeObserver(fit).observe(bar);
}

/** The name that the menus of the header share, so that one at a time is open. */
const MENUS = '_header';
