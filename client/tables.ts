/**
 * Says of tables, by classes, whether they are as wide as the page has room: the names of their columns stay below the header
 * then; and whether they are higher than the window.
 */
export function watchTables(): void {
  const tables = document.querySelectorAll('.table-scroll');
  if (tables.length === 0) return;
  const sizes = new ResizeObserver((entries) => {
    const found = entries.map(({ target }) => {
      const { offsetWidth, offsetHeight } = target.firstElementChild as HTMLElement;
      return { target, fits: offsetWidth <= target.parentElement!.clientWidth, isTall: offsetHeight > innerHeight };
    });
    for (const { target, fits, isTall } of found) {
      target.classList.toggle('fits', fits);
      target.classList.toggle('tall', isTall);
    }
  });
  for (const table of tables) sizes.observe(table);
}
