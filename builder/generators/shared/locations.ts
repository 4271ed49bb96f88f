import { parseConfigScript } from '../../config/config-script.ts';

/** Returns the path of a URL; what is none stays as it is. */
export function pathOfUrl(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname : url;
}

/** Reads the languages of VitePress, VuePress and Starlight: an object of locales, the root's under `root` or `/`. */
export function readLocales(config: string) {
  const script = parseConfigScript(config);
  const locales = script.findObject('locales')?.listObjects() ?? [];
  const root = locales.find(([key]) => key === 'root' || key === '/')?.[1];
  return {
    bases: [script.findText('base')],
    languages: locales.map(([key]) => key.replace(/^\/|\/$/g, '')),
    // Without an object of locales, only the site's own language remains.
    defaultLanguage:
      root?.findText('lang') ??
      script.findText('defaultLocale') ??
      (locales.length === 0 ? script.findText('lang') : undefined),
  };
}
