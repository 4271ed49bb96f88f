import type { Config } from '../../data/config/config-schema.ts';
import type { EngineName } from '../../data/records/inclusion.ts';
import type { Engine, EngineMethod } from './engine.ts';
import { parseAlphaHtml } from './parse-alpha-html.ts';
import { parseAlphaJson } from './parse-alpha-json.ts';
import { parseBetaHtml } from './parse-beta-html.ts';
import { parseBetaRss } from './parse-beta-rss.ts';
import { alphaQueryText } from './query-text.ts';

/** Creates the search engines that the configuration describes. */
export function createEngines({ alpha, beta }: Config['utility']): Readonly<Record<EngineName, Engine>> {
  return {
    alpha: {
      name: 'alpha',
      methods: [
        ...createMethod('json', alpha.base_url, alpha.json_query, parseAlphaJson),
        ...createMethod('html', alpha.base_url, alpha.html_query, parseAlphaHtml),
      ],
      queryText: alphaQueryText,
      isSameService: (from, to) => from.replace(/^www\./, '') === to.replace(/^www\./, ''),
      timeoutMs: alpha.timeout_s * 1000,
      concurrency: alpha.concurrency,
    },
    beta: {
      name: 'beta',
      methods: [
        ...createMethod('rss', beta.base_url, beta.rss_query, parseBetaRss),
        ...createMethod('html', beta.base_url, beta.html_query, parseBetaHtml),
      ],
      queryText: ({ url }) => url,
      isSameService: (from, to) => withoutCountry(from) === withoutCountry(to),
      timeoutMs: beta.timeout_s * 1000,
      concurrency: beta.concurrency,
    },
  };
}

/** Returns no method where the engine has no address. */
function createMethod(
  name: EngineMethod['name'],
  base: string,
  form: string,
  read: EngineMethod['read'],
): readonly EngineMethod[] {
  if (base === '' && form.includes('{base}')) return [];
  const address = (text: string): URL =>
    new URL(form.replaceAll('{base}', () => base).replaceAll('{query}', () => encodeURIComponent(text)));
  return [{ name, address, read }];
}

/** Beta leads from `www` to the host of a country, such as `cn`, and back. */
function withoutCountry(host: string): string {
  const rest = /^(?:www|[a-z]{2})\.(.+)$/.exec(host)?.[1] ?? '';
  return rest.includes('.') ? rest : host;
}
