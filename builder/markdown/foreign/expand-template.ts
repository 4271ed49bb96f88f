import { spendCharacters } from '../page/page-costs.ts';
import type { PageState } from '../page/page-state.ts';
import { expandLiquid } from './expand-liquid.ts';
import { evaluateLiquid, type LiquidScope, Open, toText, UNKNOWN } from './liquid-values.ts';

/** Returns the text of a page for Jekyll with its loops and conditions expanded; undefined where there are none. */
export function expandTemplate(page: PageState): string | undefined {
  const { input, dialect, costs } = page;
  if (dialect.liquid !== 'everywhere') return undefined;
  const expanded = expandLiquid(input.text, {
    scope: scopeOf(page),
    findInclude: (name) => input.includes.get(`${input.sourceDir ?? ''}_includes/${name}`),
    spend: (characters) => spendCharacters(costs, characters),
  });
  page.expandedLines = expanded?.lines;
  return expanded?.text;
}

/** Returns the text of `site.data.a.b | filter` or `book.a`; undefined where a part of it is unknown, or no text. */
export function findSiteValue(page: PageState, expression: string): string | undefined {
  const { liquid, mustache } = page.dialect;
  const name = mustache === 'book' ? 'book.' : liquid === 'everywhere' ? 'site.' : undefined;
  if (name === undefined || !expression.trimStart().startsWith(name)) return undefined;
  const value = evaluateLiquid(expression, scopeOf(page));
  if (value === UNKNOWN || typeof value === 'object' || value === undefined) return undefined;
  const text = toText(value);
  spendCharacters(page.costs, text.length);
  return text;
}

const scopes = new WeakMap<PageState, LiquidScope>();

function scopeOf(page: PageState): LiquidScope {
  const known = scopes.get(page);
  if (known) return known;
  const { frontMatter = {}, site } = page.input;
  const names = new Map<string, unknown>([['page', new Open(frontMatter)]]);
  if (site) names.set('site', new Open({ ...site.config, data: new Open(site.data) })).set('book', new Open(site.book));
  const scope = { names };
  scopes.set(page, scope);
  return scope;
}
