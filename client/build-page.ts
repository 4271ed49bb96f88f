/**
 * The page of a build that waits or runs: shows the log as it grows, then the page of the ended build. Without it, the
 * page reloads every few seconds.
 */
const AGAIN_MS = 3_000;
const log = document.querySelector<HTMLElement>('[data-follow]');

if (log) follow(log, new EventSource(log.dataset['follow']!));

function follow(log: HTMLElement, events: EventSource): void {
  let isNew = true;
  events.addEventListener('message', ({ data }) => {
    // The stream begins at the first line, what the page came with is in it.
    if (isNew) log.textContent = '';
    isNew = false;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.append(`${data}\n`);
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  });
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
  events.addEventListener('error', () => {
    // Too many readers, or the build is gone: the browser does not try again by itself.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), AGAIN_MS);
  });
}
