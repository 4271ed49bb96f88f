import { readFileSync } from 'node:fs';
import nunjucks from 'nunjucks';
import { packageFile } from '../../builder/index.ts';

const folder = packageFile('templates/console/');
const environment = new nunjucks.Environment(
  {
    getSource: (name: string) => ({ src: readFileSync(new URL(name, folder), 'utf8'), path: name, noCache: false }),
  } as nunjucks.ILoader,
  { autoescape: true, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true },
);

// `2026-05-04T03:02:01.123Z | moment` → `2026-05-04 03:02:01 UTC`
environment.addFilter('moment', (time: string) => time.replace(/^([\d-]+)T([\d:]+)(?:\.\d+)?Z$/, '$1 $2 UTC'));
// `1 | count('page')` → `1 page`
environment.addFilter('count', (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`);

/** Gives a page for people from a template of `templates/console/`. */
export function renderPage(template: string, model: object): string {
  return environment.render(template, model);
}
