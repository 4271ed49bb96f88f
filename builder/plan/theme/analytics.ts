import type { BrandScript } from '../../compose/theme.ts';
import { nameByContent } from '../../compose/theme-files.ts';

/** Services that count visits, as a project file sets them. */
export interface ThemeAnalytics {
  readonly plausible?: { readonly script?: string | undefined; readonly domain?: string | undefined } | undefined;
  readonly umami?: { readonly script?: string | undefined; readonly id: string } | undefined;
  readonly matomo?: { readonly url: string; readonly site: number } | undefined;
  readonly google?: string | undefined;
  readonly script?: string | undefined;
}

const DEFAULTS = { plausible: 'https://plausible.io/js/script.js', umami: 'https://cloud.umami.is/script.js' };

/**
 * Returns the scripts of services. What they are told before they start is in files of their own, so that a Content-Security-Policy need
 * allow no inline scripts.
 */
export function listAnalytics({ plausible, umami, matomo, google, script }: ThemeAnalytics): readonly BrandScript[] {
  const scripts: BrandScript[] = [];
  if (plausible) {
    const { domain, script: url = DEFAULTS.plausible } = plausible;
    // A script of one site knows its domain, and is started.
    if (domain === undefined) scripts.push(write('plausible', PLAUSIBLE), { url });
    else scripts.push({ url, attributes: [['data-domain', domain]] });
  }
  if (umami) scripts.push({ url: umami.script ?? DEFAULTS.umami, attributes: [['data-website-id', umami.id]] });
  if (matomo) {
    const base = matomo.url.replace(/(?<!\/)\/*$/, '/');
    const calls = [
      ['setTrackerUrl', `${base}matomo.php`],
      ['setSiteId', String(matomo.site)],
      ['trackPageView'],
      ['enableLinkTracking'],
    ];
    scripts.push(write('matomo', `window._paq=window._paq||[];window._paq.push(...${JSON.stringify(calls)});\n`));
    scripts.push({ url: `${base}matomo.js` });
  }
  if (google !== undefined) {
    const id = JSON.stringify(google);
    const text = `window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag("js",new Date());gtag("config",${id});\n`;
    scripts.push(write('google', text), {
      url: `https://www.googletagmanager.com/gtag/js?id=${encodeURIComponent(google)}`,
    });
  }
  if (script !== undefined) scripts.push({ url: script });
  return scripts;
}

const PLAUSIBLE =
  'window.plausible=window.plausible||function(){(plausible.q=plausible.q||[]).push(arguments)};plausible.init=plausible.init||function(o){plausible.o=o||{}};plausible.init();\n';

const write = (name: string, text: string): BrandScript => ({ file: nameByContent(name, '.js', Buffer.from(text)) });
