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

/** Gives a page for people from a template of `templates/console/`. */
export function renderPage(template: string, model: object): string {
  return environment.render(template, model);
}
