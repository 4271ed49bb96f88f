import { memoize } from '../../lib/bounded-map.ts';

/**
 * Sites below `/docs/<project>/` share their origin with the API, the console and each other, so nothing that an author writes
 * may act as its visitor. Pages of docbuild keep that origin, which remembers what readers choose; only docbuild's own scripts
 * run in them (`createPagePolicy`). All other files get an origin of their own (`SANDBOX`), in which their scripts run. A file
 * that is taken for a page, or a page that is taken for another file, is as safe: either policy holds for what anybody writes.
 */

/** Gives a document an origin of its own: no cookies, no storage, no requests with the rights of its visitor. */
export const SANDBOX =
  'sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

/** All pages load the theme's script first. */
const THEME_SCRIPT = /<script src="[^"<>]{0,4000}_docbuild\/site\.[0-9a-f]{8}\.js"><\/script>/;
const MAX_HEAD = 6_000;

/** Checks whether a file is a page of docbuild, rather than a document that a page refers to. */
export function isThemePage(type: string, body: Buffer | undefined): boolean {
  return /^text\/html\b/.test(type) && body !== undefined && THEME_SCRIPT.test(body.toString('latin1', 0, MAX_HEAD));
}

/**
 * Returns the Content-Security-Policy of a site's pages. A policy cannot say "this path of my own host", and the server may not
 * know the name of the host that readers see. So there are two, both of which must be kept: one allows hosts, the other paths.
 * Authors write to none of the paths. Only what could act for the visitor is restricted: scripts, plug-ins, forms, `<base>` and
 * requests without navigation (`ping` sends cookies, too), but neither pictures nor styles.
 */
export function createPagePolicy(site: {
  /** Path of the site, as requested. */
  readonly basePath: string;
  readonly project: string;
  /** Base URL of the API where it has its own, otherwise ''. */
  readonly apiUrl: string;
  /** URL of the nav button's script where it is elsewhere, otherwise ''. */
  readonly scriptUrl: string;
}): string {
  return policies(JSON.stringify(site));
}

const policies = memoize((key) => {
  const { basePath, project, apiUrl, scriptUrl } = JSON.parse(key) as Parameters<typeof createPagePolicy>[0];
  const hosts = ["'self'", ...(apiUrl === '' ? [] : [new URL(apiUrl).origin])];
  const script = scriptUrl === '' ? [] : [encodeSource(new URL(scriptUrl))];
  const own = (path: string): string => `http://*:*${path}`;
  const assets = own(`${basePath}/_docbuild/`);
  const allowed = [
    ['script-src', ...hosts, ...script],
    ['connect-src', ...hosts],
    ['worker-src', "'self'"],
    ...['object-src', 'base-uri', 'form-action'].map((name) => [name, "'none'"]),
  ];
  const paths = [
    ['script-src', assets, own('/docbuild/assets/docbuild.js'), ...script],
    // Pages of the site are compared and copied, too.
    ['connect-src', own(`${basePath}/`), own(`/docbuild/desc/${project}`)],
    ['worker-src', assets],
  ];
  return [allowed, paths].map((policy) => policy.map((directive) => directive.join(' ')).join('; ')).join(', ');
}, 1_000);

/** Returns a URL as a source of a policy; queries are not compared, `;` and `,` would end the source. */
function encodeSource({ origin, pathname }: URL): string {
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}
