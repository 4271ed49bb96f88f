import { afterPaint } from './after-paint.ts';

/** Most that the window moves by itself after a jump, e.g. by rounding. */
const STILL_PX = 3;

/**
 * Marks the entry of the table of contents whose section is being read: the last one whose heading has been scrolled to where
 * a jump would bring it. Headings too near to the end of the page for that share the rest of the way. After a jump its target
 * is marked until the page is scrolled.
 */
export function followReading(): void {
  const toc = document.querySelector<HTMLElement>('.page-toc');
  const links = new Map<HTMLElement, HTMLAnchorElement>();
  for (const link of toc?.querySelectorAll<HTMLAnchorElement>('a[href^="#"]') ?? []) {
    const heading = document.getElementById(link.getAttribute('href')!.slice(1));
    if (heading) links.set(heading, link);
  }
  if (!toc || links.size === 0) return;
  const headings = [...links.keys()];
  let marked: HTMLAnchorElement | undefined;
  let jump: { readonly heading: HTMLElement; readonly top: number } | undefined;
  let isDue = false;

  const update = (): void => {
    isDue = false;
    // A preview has replaced the page.
    if (!toc.isConnected) {
      stop();
      return;
    }
    makeRoom(toc);
    if (jump && Math.abs(scrollY - jump.top) > STILL_PX) jump = undefined;
    const link = links.get(jump?.heading ?? findRead(headings))!;
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    marked = link;
    marked.setAttribute('aria-current', 'true');
    const { offsetTop, offsetHeight } = marked;
    if (offsetTop < toc.scrollTop || offsetTop + offsetHeight > toc.scrollTop + toc.clientHeight) {
      toc.scrollTop = offsetTop - toc.clientHeight / 2;
    }
  };
  const updateSoon = (): void => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(update);
  };
  const followJump = (): void => {
    const target = document.getElementById(decodeHash());
    const heading = target && headings.filter((one) => one === target || isBefore(one, target)).pop();
    const isSeen =
      heading && heading.getBoundingClientRect().bottom > 0 && heading.getBoundingClientRect().top < innerHeight;
    jump = isSeen ? { heading, top: scrollY } : undefined;
    update();
  };
  const events = [
    ['scroll', updateSoon],
    ['resize', updateSoon],
    // The browser scrolls to where the address leads until the page is loaded, and then once more.
    ['load', () => requestAnimationFrame(followJump)],
    ['hashchange', followJump],
  ] as const;
  const stop = (): void => {
    for (const [name, listener] of events) removeEventListener(name, listener);
  };
  for (const [name, listener] of events) addEventListener(name, listener, { passive: true });
  // A second jump to the same place changes no address.
  document.body.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a[href^="#"]')) setTimeout(followJump);
  });
  // It needs the layout of the whole page, which is not to be waited for.
  afterPaint(followJump);
}

/** Tells the table of contents how far notices push the header down, so that it ends in the window. */
function makeRoom(toc: HTMLElement): void {
  const { top } = document.querySelector('.site-header')?.getBoundingClientRect() ?? { top: 0 };
  toc.style.setProperty('--above', `${top}px`);
}

/** Returns the heading that is being read; headings that are not shown do not count. */
function findRead(headings: readonly HTMLElement[]): HTMLElement {
  const root = document.documentElement;
  // Of a project's own styles; the theme gives headings a margin.
  const padding = Number.parseFloat(getComputedStyle(root).scrollPaddingTop) || 0;
  const end = root.scrollHeight - innerHeight;
  const shown = headings
    .filter((heading) => heading.getClientRects().length > 0)
    .map((heading) => {
      const margin = Number.parseFloat(getComputedStyle(heading).scrollMarginTop) || 0;
      return { heading, top: heading.getBoundingClientRect().top + scrollY - padding - margin };
    });
  const reached = shown.filter(({ top }) => top <= end);
  const rest = shown.slice(reached.length);
  const from = Math.max(0, reached[reached.length - 1]?.top ?? 0);
  const tops = [
    ...reached.map(({ top }) => top),
    ...rest.map((_, at) => from + ((end - from) * (at + 1)) / rest.length),
  ];
  const passed = tops.filter((top) => top <= scrollY + STILL_PX).length;
  return shown[passed - 1]?.heading ?? headings[0]!;
}

function isBefore(one: Node, other: Node): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function decodeHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}
