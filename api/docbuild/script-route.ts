import { readFileSync } from 'node:fs';
import { packageFile } from '../../builder/index.ts';
import { defineRoute, type Route } from '../routes/route.ts';
import { prepareAnswer, sendPrepared } from '../send-prepared.ts';

/** GET assets/docbuild.js: the nav button's script. */
export function scriptRoute(): Route {
  const answer = prepareAnswer(readFileSync(packageFile('dist/client/docbuild.js'), 'utf8'));
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/assets/docbuild.js'],
    summary: 'The script that pages of documentation refer to',
    tag: 'docbuild',
    answers: { 200: { description: 'JavaScript', media: 'text/javascript' } },
    async handle(ctx) {
      sendPrepared(ctx, answer, 'text/javascript; charset=utf-8');
      // A few minutes old is no harm; the address never changes.
      ctx.set('Cache-Control', 'public, max-age=300');
    },
  });
}
