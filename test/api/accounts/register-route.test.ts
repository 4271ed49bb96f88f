import test from 'ava';
import { accountRoutes } from '../../../api/accounts/account-routes.ts';
import { createRegistration } from '../../../api/accounts/login.ts';
import { createCallers } from '../../../api/http/callers.ts';
import { handleErrors } from '../../../api/http/errors.ts';
import { createLocalAttempts } from '../../../platform/accounts/login-backoff.ts';
import { parseConfig } from '../../../platform/config/read-config.ts';
import { createSettings } from '../../../platform/config/settings.ts';
import type { ServiceError } from '../../../platform/failures/service-error.ts';
import { createAccounts, createTestLogin, PASSWORD } from '../../helpers/create-accounts.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

test('register: too many at once are told to come back, and none of those is counted', async (t) => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const accounts = createAccounts({ derive: (_, { bytes }) => held.then(() => Buffer.alloc(bytes)) });
  const settings = createSettings(parseConfig('{auth: {registration: true}, api: {trusted_proxies: 1}}', 'test.yml'));
  const callers = createCallers(settings, accounts);
  const { login } = createTestLogin(accounts, callers.sourceOf);
  const registration = createRegistration(settings, accounts, { ...callers, attempts: createLocalAttempts(Date.now) });
  const route = accountRoutes({ accounts, audit: accounts.audit, callers, login, registration }).find(({ paths }) =>
    paths.includes('/api/user/register'),
  )!;
  const failures: unknown[] = [];
  const handle = handleErrors((error) => failures.push((error as ServiceError).code));
  const url = await serveRoutes(t, (ctx) => handle(ctx, async () => route.handle(ctx, { params: {}, query: {} })));
  const register = (account: string, source: string) =>
    fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ account, password: PASSWORD }),
      headers: { 'X-Forwarded-For': source },
    });
  const crowd = Array.from({ length: 80 }, (_, i) => register(`crowd${i}`, `192.0.2.${i}`));
  // Passwords take until then, so that only one who was refused can be the first.
  t.is((await Promise.race(crowd)).status, 503);
  letGo();
  const answers = await Promise.all(crowd);
  const busy = answers.flatMap(({ status, headers }, i) => (status === 503 ? [{ i, headers }] : []));
  t.true(busy.length > 0);
  for (const { headers } of busy) t.is(headers.get('Retry-After'), '2');
  t.deepEqual(failures, Array(busy.length).fill('overloaded'), 'of which the log has one line a minute');
  // Five are free; the one that was refused would make six.
  for (let k = 0; k < 5; k++) t.is((await register(`later${k}`, `192.0.2.${busy[0]!.i}`)).status, 201);
});
