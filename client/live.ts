/**
 * Keeps a page of a preview as its files are: when the site was built anew, the page is asked for again and put in place
 * of the old one, where its reader is. Shows why a build failed, and what there is to mend.
 */
interface State {
  readonly build: number;
  readonly failure?: string;
  readonly problems: readonly string[];
}

export {};

let shownBuild: number | undefined;
let shownText: string | undefined;
let running: Promise<void> = Promise.resolve();

const panel = createPanel();
const events = new EventSource('/_docbuild/live');
events.onmessage = ({ data }: MessageEvent<string>) => {
  const state = JSON.parse(data) as State;
  running = running.then(() => follow(state)).catch(() => location.reload());
};

async function follow(state: State): Promise<void> {
  // The first message says what the page is of already, unless it was open while the server was away.
  if (shownBuild !== undefined && state.build !== shownBuild) await refresh();
  shownBuild = state.build;
  panel.show(state);
}

/** Gets the page again; where it is another one now, puts it in place of this one. */
async function refresh(): Promise<void> {
  const answer = await fetch(location.href, { cache: 'no-store' });
  const text = await answer.text();
  if (text === shownText) return;
  const next = new DOMParser().parseFromString(text, 'text/html');
  if (listResources(next) !== listResources(document)) return location.reload();
  shownText = text;
  const keepPlace = rememberPlace();
  document.title = next.title;
  for (const name of ['lang', 'dir'])
    document.documentElement.setAttribute(name, next.documentElement.getAttribute(name) ?? '');
  // What scripts have added to the page stays: the nav button, and this panel.
  const added = [...document.body.children].filter((element) => element.shadowRoot);
  document.body.replaceWith(document.adoptNode(next.body));
  document.body.append(...added);
  // The scripts of the page set up what is on it as they do when it is opened.
  document.dispatchEvent(new Event('DOMContentLoaded', { bubbles: true }));
  keepPlace();
}

/** Lists what a page loads and runs; what is not the same on the next page cannot be exchanged under a running one. */
function listResources(page: Document): string {
  const head = page.head.querySelectorAll('script, link[rel~="stylesheet"], style');
  const body = page.body.querySelectorAll('script');
  return [...head, ...body].map((element) => element.outerHTML).join('\n');
}

/** Returns what brings the heading that was read last back to where it stood in the window. */
function rememberPlace(): () => void {
  const headings = [...document.querySelectorAll<HTMLElement>('main [id]')];
  const above = headings.filter((heading) => heading.getBoundingClientRect().top <= innerHeight / 2);
  const places = above.reverse().map(({ id }) => ({ id, top: topOf(id)! }));
  const top = scrollY;
  return () => {
    const kept = top > 0 ? places.find(({ id }) => document.getElementById(id)) : undefined;
    scrollTo({ top: kept ? scrollY + topOf(kept.id)! - kept.top : top, behavior: 'instant' });
  };
}

function topOf(id: string): number | undefined {
  return document.getElementById(id)?.getBoundingClientRect().top;
}

/** Creates the panel at the edge of the window; it is empty while there is nothing to say. */
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
  document.body.append(host);
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const text = document.createElement('pre');
  details.append(summary, text);
  const status = document.createElement('div');
  status.setAttribute('role', 'status');
  root.append(status);
  return {
    show({ failure, problems }) {
      const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
      details.classList.toggle('failed', failure !== undefined);
      if (failure !== undefined) details.open = true;
      summary.textContent = failure === undefined ? count : 'The site could not be built; this is as it was before';
      text.textContent = [...(failure === undefined ? [] : [failure]), ...problems].join('\n');
      status.replaceChildren(...(failure === undefined && problems.length === 0 ? [] : [details]));
    },
  };
}
