/** Script for a page that adds up its layout shifts in `shift`, and lists in `moved` what has moved, from where to where. */
export const RECORD_SHIFTS = `
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shift += value;
      for (const { node, previousRect, currentRect } of sources) {
        const what = (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80);
        window.moved.push([what, ...[previousRect, currentRect].map(({ x, y, width, height }) => [x, y, width, height].join())].join(' | '));
      }
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;
