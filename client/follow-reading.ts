/** Marks the entry of the table of contents whose section is being read. */
export function followReading(): void {
  const toc = document.querySelector<HTMLElement>('.page-toc');
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of toc?.querySelectorAll<HTMLAnchorElement>('a[href^="#"]') ?? []) {
    const heading = document.getElementById(link.getAttribute('href')!.slice(1));
    if (heading) links.set(heading, link);
  }
  if (!toc || links.size === 0) return;
  const headings = [...links.keys()];
  let marked: HTMLAnchorElement | undefined;
  const update = (): void => {
    const line = innerHeight / 4;
    const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top <= line);
    const link = links.get((atEnd ? headings : passed).slice(-1)[0] ?? headings[0]!);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    marked = link;
    marked?.setAttribute('aria-current', 'true');
    if (marked && toc.scrollHeight > toc.clientHeight) {
      toc.scrollTop = marked.offsetTop - toc.clientHeight / 2;
    }
  };
  const observer = new IntersectionObserver(update, { rootMargin: '0px 0px -75% 0px', threshold: [0, 1] });
  for (const heading of headings) observer.observe(heading);
  addEventListener('scrollend', update);
  update();
}
