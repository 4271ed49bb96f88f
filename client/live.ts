/**
 * Updates a page of `docbuild dev`: after each build, the page is requested again, and the changed paragraphs or the whole body are
 * replaced, at the reader's position. Shows why a build failed, and the problems that it found.
 */
interface State {
  readonly build: number;
  readonly failure?: string;
  /** Of problems, which may share lines of `problems`. */
  readonly count: number;
  readonly problems: readonly string[];
}

export {};

/** The build that the page is from, or one before it; undefined where browsers do not tell, as Firefox without HTTPS. */
let shownBuild = readBuild();
/** What the server says tells the page as it was received last from others; '' where browsers do not tell. */
let shownPage = readTiming('page') ?? '';
/** The page as it was received last; scripts add to what is shown. */
let received: { readonly text: string; readonly page: Document } | undefined;
let running: Promise<void> = Promise.resolve();

const panel = createPanel();
const events = new EventSource('/_docbuild/live');
events.onmessage = ({ data }: MessageEvent<string>) => {
  const state = JSON.parse(data) as State;
  // Search finds what the page shows, also while it is open.
  document.dispatchEvent(new Event('docbuild:renewed'));
  running = running.then(() => follow(state)).catch(reload);
};

function readBuild(): number | undefined {
  const build = readTiming('build');
  return build === undefined ? undefined : Number(build);
}

/** Returns what the server said when it sent the page. */
function readTiming(what: string): string | undefined {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.serverTiming?.find(({ name }) => name === what)?.description;
}

/** Loads the page again. Never resolves: the next message is for the new page, and would have it loaded twice. */
function reload(): Promise<never> {
  events.close();
  location.reload();
  return new Promise(() => {});
}

/** The page that is shown is received once more when nothing else is to be done, so that its first save replaces no more than others do. */
const RECEIVE_MS = 300;
setTimeout(() => {
  running = running.then(receiveShown).catch(() => {});
}, RECEIVE_MS);

async function receiveShown(): Promise<void> {
  if (received || shownPage === '') return;
  const { text, sent } = await request();
  if (sent === shownPage) received = { text, page: new DOMParser().parseFromString(text, 'text/html') };
}

/** Requests the page again; returns its text, and what the server says tells it from others. */
async function request(): Promise<{ readonly text: string; readonly sent: string }> {
  const answer = await fetch(location.href, { cache: 'no-store' });
  const sent = /page;desc="(.+?)"/.exec(answer.headers.get('Server-Timing') ?? '')?.[1] ?? '';
  return { text: await answer.text(), sent };
}

async function follow(state: State): Promise<void> {
  if (shownBuild !== undefined && state.build !== shownBuild) await refresh();
  shownBuild = state.build;
  panel.show(state);
  void refreshPictures();
}

/** Entity tags of the site's pictures when they were first on the page, by URL. */
const tags = new Map<string, string | null>();

/** Shows pictures that have changed: browsers take one that they have shown for the same, whatever its size is now. */
async function refreshPictures(): Promise<void> {
  for (const picture of document.querySelectorAll<HTMLImageElement>('main img')) {
    const url = new URL(picture.src, location.href);
    url.search = '';
    if (url.origin !== location.origin) continue;
    const answer = await fetch(url, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    const tag = answer?.ok ? answer.headers.get('ETag') : undefined;
    if (tag === undefined) continue;
    const first = tags.get(url.href);
    if (first === undefined) tags.set(url.href, tag);
    else if (tag !== first) picture.src = `${url.href}?${encodeURIComponent(tag ?? '')}`;
  }
}

/** Requests the page again, and shows what has changed. */
async function refresh(): Promise<void> {
  const { text, sent } = await request();
  // Whoever is searching is not interrupted, and sees the page as it is by then.
  const dialog = document.querySelector('dialog[open]');
  if (dialog) {
    await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
    return refresh();
  }
  if (text === received?.text || (sent !== '' && sent === shownPage)) return;
  shownPage = sent;
  const page = new DOMParser().parseFromString(text, 'text/html');
  if (listResources(page) !== listResources(document)) return reload();
  const keepPlace = rememberPlace();
  if (!(received && replaceBlocks(received.page, page))) replaceBody(page);
  received = { text, page };
  keepPlace();
}

/** Elements that scripts set up when a page is opened, and those the table of contents refers to. */
const SET_UP = '.code-block, .table-scroll, img, .tab-input, .diagram, script, h1, h2, h3, h4, h5, h6';

/**
 * Replaces the blocks of the text that have changed, which takes a third of the time that a new body takes. Returns false where
 * more has changed, or where scripts would have to set up what is new. `before` is used up.
 */
function replaceBlocks(before: Document, after: Document): boolean {
  if ([...document.scripts].some(({ src }) => !src.includes('/_docbuild/'))) return false;
  const [old, next, shown] = [before, after, document].map((page) => page.querySelector('main > article'));
  if (!old || !next || !shown) return false;
  const [from, to, here] = [[...old.childNodes], [...next.childNodes], [...shown.childNodes]];
  if (from.length !== here.length || from.some(({ nodeName }, at) => nodeName !== here[at]!.nodeName)) return false;
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start]!.isEqualNode(to[start]!)) start++;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end)!.isEqualNode(to.at(-1 - end)!)) end++;
  const removed = from.slice(start, from.length - end);
  const added = to.slice(start, to.length - end);
  if ([...removed, ...added].some(isSetUp)) return false;
  // The rest of the page, from its title to its footer, must be the same.
  old.replaceChildren();
  next.replaceChildren();
  const isRestSame = before.isEqualNode(after);
  next.append(...to);
  if (!isRestSame) return false;
  const following = here[from.length - end] ?? null;
  for (const node of here.slice(start, from.length - end)) node.remove();
  for (const node of added) shown.insertBefore(document.importNode(node, true), following);
  return true;
}

function isSetUp(node: Node): boolean {
  return node instanceof Element && (node.matches(SET_UP) || node.querySelector(SET_UP) !== null);
}

function replaceBody(page: Document): void {
  document.title = page.title;
  for (const name of ['lang', 'dir'])
    document.documentElement.setAttribute(name, page.documentElement.getAttribute(name) ?? '');
  // Scripts have added it and go on to use it: the nav button.
  const added = [...document.body.children].filter((element) => element.shadowRoot);
  document.body.replaceWith(document.importNode(page.body, true));
  document.body.append(...added);
  // The scripts of the page set up the new body as they do when a page is opened.
  document.dispatchEvent(new Event('DOMContentLoaded', { bubbles: true }));
}

/** Returns the scripts and style sheets of a page: if they change, the page has to be loaded again. */
function listResources(page: Document): string {
  const head = page.head.querySelectorAll('script, link[rel~="stylesheet"], style');
  const body = page.body.querySelectorAll('script');
  return [...head, ...body].map((element) => element.outerHTML).join('\n');
}

interface Place {
  /** Headings at or above the middle of the window, the lowest first. */
  readonly headings: readonly { readonly id: string; readonly top: number }[];
  readonly scrollY: number;
}

/** The place that a page without its headings could not keep, and where it has put its reader. */
let lost: { readonly place: Place; readonly scrollY: number } | undefined;

/**
 * Returns a function that scrolls the heading being read back to its place in the window. A page that has none of the headings may be a
 * file that was half written: the next one goes back to the same place, unless the reader has gone elsewhere.
 */
function rememberPlace(): () => void {
  const place = lost?.scrollY === scrollY ? lost.place : readPlace();
  return () => {
    const kept = place.scrollY > 0 ? place.headings.find(({ id }) => document.getElementById(id)) : undefined;
    scrollTo({ top: kept ? scrollY + topOf(kept.id)! - kept.top : place.scrollY, behavior: 'instant' });
    lost = kept || place.headings.length === 0 ? undefined : { place, scrollY };
  };
}

function readPlace(): Place {
  const found = [...document.querySelectorAll<HTMLElement>('main article [id]')];
  const above = found.filter((heading) => heading.getBoundingClientRect().top <= innerHeight / 2);
  return { headings: above.reverse().map(({ id }) => ({ id, top: topOf(id)! })), scrollY };
}

function topOf(id: string): number | undefined {
  return document.getElementById(id)?.getBoundingClientRect().top;
}

/** Creates the panel at the edge of the window; it is empty if there are no problems. */
function createPanel(): { show(state: State): void } {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host { position: fixed; inset: auto auto 1rem 1rem; z-index: 1000; max-width: min(40rem, calc(100vw - 2rem)); }
    details { font: 14px/1.5 system-ui, sans-serif; color: #fff; background: #7a4300; border-radius: .5rem; box-shadow: 0 2px 12px #0006; }
    details.failed { background: #a1061b; }
    summary { padding: .4rem .8rem; cursor: pointer; font-weight: 600; }
    summary:focus-visible { outline: 2px solid; outline-offset: -4px; border-radius: .5rem; }
    pre { margin: 0; padding: 0 .8rem .8rem; max-height: 50vh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
    @media print { :host { display: none; } }`);
  root.adoptedStyleSheets = [style];
  // Outside of the body, which saves replace: whoever has pressed or focused the panel keeps it.
  document.documentElement.append(host);
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const text = document.createElement('pre');
  details.append(summary, text);
  const status = document.createElement('div');
  status.setAttribute('role', 'status');
  root.append(status);
  return {
    show({ failure, count, problems }) {
      const counted = count === 1 ? '1 problem' : `${count} problems`;
      details.classList.toggle('failed', failure !== undefined);
      if (failure !== undefined) details.open = true;
      setText(summary, failure === undefined ? counted : 'The site could not be built; this is the previous state');
      setText(text, [...(failure === undefined ? [] : [failure]), ...problems].join('\n'));
      const isShown = failure !== undefined || problems.length > 0;
      if (isShown && !details.isConnected) status.append(details);
      else if (!isShown) details.remove();
    },
  };
}

/** Changes a text only if it differs: an unchanged one keeps its selection, and is not read out again. */
function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
