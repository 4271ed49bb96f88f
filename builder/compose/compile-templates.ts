import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import nunjucks from 'nunjucks';
import { packageFile } from '../../lib/package-file.ts';
import { createEnvironment } from './create-environment.ts';

/**
 * Writes `site-templates.js` beside this script: the templates of `templates/site/` as functions by name. A process that
 * builds one page would need longer to compile them than for the rest of composing.
 */
const folder = packageFile('templates/site/');
const env = createEnvironment();
const names = readdirSync(folder).filter((name) => name.endsWith('.njk'));
const entries = names.sort().map((name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  return nunjucks.precompileString(text, { name, env, wrapper: wrapCode as never });
});
writeFileSync(new URL('site-templates.js', import.meta.url), `export default {\n${entries.join('')}};\n`);

/** Returns a property: what the compiled code returns, by the template's name. Called with a list, against its types. */
function wrapCode(templates: readonly { readonly name: string; readonly template: string }[]): string {
  return templates
    .map(({ name, template }) => `${JSON.stringify(name)}: (function () {\n${template}\n})(),\n`)
    .join('');
}
