import { createBoundedMap } from '../../lib/bounded-map.ts';
import { hasCode } from '../../lib/system-error.ts';
import type { FileContent } from '../../platform/sites/file-cache.ts';
import type { FoundFile, SitePath } from '../../platform/sites/site-storage.ts';
import { type Answered, answerView, sendText } from './file-answer.ts';
import { answerFullText } from './full-text.ts';
import { fillGonePage, findGone, type GonePage } from './gone-page.ts';
import { absolutizeContent, prefersMarkdown, siteUrl } from './page-markdown.ts';
import { answerMoved, redirect } from './redirects.ts';
import { createView, type View } from './representation.ts';
import type { SiteRequest } from './site-request.ts';

/** `gone`: the file existed a moment ago. Both `gone` and `changed` are worth another try. */
type Outcome = Answered | 'missing' | 'gone';

const MAX_TRIES = 5;

/** Answers with the file at a path of the site, otherwise with its 404 page. */
export function answerPath(request: SiteRequest, asked: SitePath): void | Promise<void> {
  const first = tryPath(request, asked, 200);
  return first === 'sent' ? undefined : finish();

  async function finish(): Promise<void> {
    const outcome = await persist(request, asked, 200, first);
    if (outcome === 'changed') sendBusy(request, 'The page is being changed, try again');
    else if (outcome !== 'sent' && !(await answerFullText(request, asked))) await answerMissing(request, asked);
  }
}

/** Folder of the 404 pages of a site that is not at the root of its host. */
const BELOW = '/_docbuild/below';

/** Answers with the 404 page of the path's language, otherwise with that of the site, otherwise with a line of text. */
export async function answerMissing(request: SiteRequest, asked: SitePath | undefined): Promise<void> {
  const { ctx, site } = request;
  const language = asked?.path.split('/')[1];
  const folders = language !== undefined && site.languages.includes(language) ? [`/${language}`, ''] : [''];
  const gone = asked && site.index && findGone(site.index, asked.path);
  const places = site.basePath === '' ? folders : [...folders.map((folder) => BELOW + folder), ...folders];
  for (const folder of places) {
    const page = { path: `${folder}/404.html`, isFolder: false };
    try {
      if ((await persist(request, page, 404, tryPath(request, page, 404, gone), gone)) === 'sent') return;
    } catch (error) {
      // That there is no such page is known all the same.
      if (!hasCode(error, 'busy') || ctx.headerSent) throw error;
    }
  }
  sendText(ctx, { status: 404, text: 'Not found', isShared: site.isShared });
}

/** Answers that the request cannot be served now. */
export function sendBusy({ ctx, site }: SiteRequest, text: string): void {
  sendText(ctx, { status: 503, text, isShared: site.isShared, headers: ['Retry-After', '1'] });
}

/** Retries while the site is being exchanged. */
async function persist(
  request: SiteRequest,
  asked: SitePath,
  status: 200 | 404,
  first: Outcome | Promise<Outcome>,
  gone?: GonePage,
): Promise<Outcome> {
  let outcome = await first;
  for (let attempt = 1; (outcome === 'gone' || outcome === 'changed') && attempt < MAX_TRIES; attempt++) {
    outcome = await tryPath(request, asked, status, gone);
  }
  return outcome;
}

/** The Markdown of a page as the readers of a host get it. */
interface Absolute {
  readonly place: string;
  readonly content: FileContent;
  readonly view: View;
}

const absolute = new WeakMap<View, Absolute>();

/** A 404 page with what is known of a page. */
interface Filled {
  readonly of: View;
  readonly content: FileContent;
  readonly view: View;
}

const MAX_FILLED = 200;
const filled = createBoundedMap<string, Filled>({ maxEntries: MAX_FILLED });

/** Tries once; is synchronous where the file is in memory. A 404 page gets what is known of the page in its place. */
function tryPath(
  request: SiteRequest,
  asked: SitePath,
  status: 200 | 404,
  gone?: GonePage,
): Outcome | Promise<Outcome> {
  const { ctx, loader, site, maxWaitMs, stallMs } = request;
  const found = site.files.find(asked);
  return found instanceof Promise ? found.then(take) : take(found);

  function take(file: FoundFile): Outcome | Promise<Outcome> {
    if (file.kind === 'folder') {
      redirect(request, `${asked.path}/`);
      return 'sent';
    }
    if (file.kind === 'page') {
      redirect(request, asked.path.slice(0, -1));
      return 'sent';
    }
    if (file.kind === 'missing') return 'missing';
    const { path } = file;
    const known = loader.find(site, path, file.stamp);
    return known ? answer(path, known) : loader.load(site, path).then((view) => (view ? answer(path, view) : 'gone'));
  }

  function answer(path: string, view: View): Outcome | Promise<Outcome> {
    if (view.movedTo !== undefined && status === 200 && answerMoved(request, path, view.movedTo)) return 'sent';
    const { markdown } = view;
    if (markdown === undefined || status !== 200 || !prefersMarkdown(ctx.req.headers.accept)) return send(path, view);
    const outcome = tryPath(request, { path: markdown, isFolder: false }, status);
    const orPage = (found: Outcome): Outcome | Promise<Outcome> => (found === 'missing' ? send(path, view) : found);
    return outcome instanceof Promise ? outcome.then(orPage) : orPage(outcome);
  }

  function send(path: string, view: View): Outcome | Promise<Outcome> {
    const { content } = view.file;
    if (!content) return 'changed';
    const { body } = content;
    const shown =
      body && gone
        ? fill(path, view, body, gone)
        : body && view.isMarkdown
          ? absolutize(path, view, body)
          : { view, content };
    return answerView(ctx, { loader, site, path, ...shown, maxWaitMs, stallMs, status });
  }

  function fill(path: string, view: View, body: Buffer, gone: GonePage): Pick<Filled, 'view' | 'content'> {
    const key = JSON.stringify([site.basePath, gone]);
    const known = filled.get(key);
    if (known?.of === view) return known;
    const content = fillGonePage(body.toString(), gone, site.basePath);
    const made = { of: view, content, view: createView(view.file, content, { ...site, path }) };
    filled.set(key, made);
    return made;
  }

  /** The next request names the same host nearly always. */
  function absolutize(path: string, view: View, body: Buffer): Pick<Absolute, 'view' | 'content'> {
    const place = siteUrl(ctx, site.basePath);
    const known = absolute.get(view);
    if (known?.place === place) return known;
    const content = absolutizeContent(body, { site: place, path });
    const made = { place, content, view: createView(view.file, content, { ...site, path }) };
    absolute.set(view, made);
    if (!known) loader.grow(view, content.size);
    return made;
  }
}
