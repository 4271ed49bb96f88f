import test, { type ExecutionContext } from 'ava';
import { handleErrors } from '../../../api/http/errors.ts';
import { DataError } from '../../../data/data-error.ts';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

/** Returns the status that an error is answered with, and whether it is logged. */
async function answer(t: ExecutionContext, error: Error) {
  let isLogged = false;
  const handle = handleErrors(() => {
    isLogged = true;
  });
  const url = await serveRoutes(t, (ctx) => handle(ctx, () => Promise.reject(error)));
  const { status } = await fetch(url);
  return { status, isLogged };
}

test('handleErrors() reports what is wrong with the service, and that too many ask for something', async (t) => {
  const cases: readonly (readonly [error: Error, status: number])[] = [
    [new TypeError('x is not a function'), 500],
    [new ServiceError('internal', 'Broken'), 500],
    [new DataError('busy', 'Another process has taken over the store'), 503],
    [new DataError('unwritable', 'The disk is full'), 503],
    [new ServiceError('overloaded', 'Too many ask for this at once'), 503],
  ];
  for (const [error, status] of cases) t.deepEqual(await answer(t, error), { status, isLogged: true }, error.message);
});

test('handleErrors() does not report mistakes of callers, nor what clients of other services report', async (t) => {
  const cases = [
    new ServiceError('not-found', 'Nothing'),
    new ServiceError('wrong-method', 'No such method'),
    new ServiceError('upstream', 'Another service is down'),
  ];
  for (const error of cases) t.deepEqual(await answer(t, error), { status: error.status, isLogged: false });
});
