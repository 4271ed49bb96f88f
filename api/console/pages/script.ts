import { readFileSync } from 'node:fs';
import { packageFile } from '../../../builder/index.ts';
import { prepareAnswer, sendPrepared } from '../../http/answers.ts';
import type { Route } from '../../http/route.ts';
import { consoleRoute } from '../define-route.ts';

/** The script of the console, which can do without. */
export function scriptRoute(): Route {
  const answer = prepareAnswer(readFileSync(packageFile('dist/client/console.js'), 'utf8'));
  return consoleRoute('get', '/control/console.js', async (ctx) => {
    ctx.set('X-Content-Type-Options', 'nosniff');
    sendPrepared(ctx, answer, 'text/javascript; charset=utf-8');
  });
}
