/** Players that begin at once where their URL asks for it: the reader has clicked. */
const PLAYERS = /^https:\/\/(?:www\.youtube(?:-nocookie)?\.com\/embed|player\.vimeo\.com)\//;

/** Loads what another site shows in a frame when its link is clicked; before that, nobody there is asked. */
export function loadEmbeds(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLElement>('.embed > .embed-link');
    const frame = link?.previousElementSibling;
    if (!(frame instanceof HTMLIFrameElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const url = new URL(frame.dataset['src']!);
    if (PLAYERS.test(url.href)) {
      url.searchParams.set('autoplay', '1');
      frame.allow ||= 'autoplay; fullscreen; encrypted-media; picture-in-picture';
    }
    frame.src = url.href;
    link!.remove();
    frame.focus();
  });
}
