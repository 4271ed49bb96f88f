import { readFileSync } from 'node:fs';
import { packageFile } from '../../lib/package-file.ts';
import { prepareAnswer, sendPrepared } from '../http/answers.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** GET assets/docbuild.js: the nav button's script. */
export function scriptRoute(): Route {
  return assetRoute('docbuild.js', 'The script that documentation pages load');
}

/** GET assets/build-page.js: the script of pages of builds. */
export function buildPageScriptRoute(): Route {
  return assetRoute('build-page.js', "The script of a build's page");
}

/** GET assets/project-page.js: the script of pages of projects. */
export function projectPageScriptRoute(): Route {
  return assetRoute('project-page.js', "The script of a project's page");
}

function assetRoute(name: string, summary: string): Route {
  const answer = prepareAnswer(readFileSync(packageFile(`dist/client/${name}`), 'utf8'));
  return defineRoute({
    method: 'get',
    paths: [`/docbuild/assets/${name}`],
    summary,
    tag: 'docbuild',
    area: 'docs',
    isAtSites: name === 'docbuild.js',
    answers: { 200: { description: 'JavaScript', media: 'text/javascript' } },
    examples: [{ summary: 'The script', path: `/docbuild/assets/${name}`, status: 200 }],
    async handle(ctx) {
      await sendPrepared(ctx, answer, 'text/javascript; charset=utf-8');
      // A few minutes old is no harm; the address never changes.
      ctx.set('Cache-Control', 'public, max-age=300');
    },
  });
}
