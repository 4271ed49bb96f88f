import nunjucks from 'nunjucks';
import { safeUrl } from './safe-url.ts';

/** Creates the environment that the templates of `templates/site/` are compiled for and run in. */
export function createEnvironment(loader?: nunjucks.ILoader): nunjucks.Environment {
  const environment = new nunjucks.Environment(loader ?? null, {
    autoescape: true,
    throwOnUndefined: true,
    trimBlocks: true,
    lstripBlocks: true,
  });
  return environment.addFilter('url', safeUrl);
}
