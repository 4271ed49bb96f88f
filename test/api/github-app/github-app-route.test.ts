import test from 'ava';
import { githubAppRoute } from '../../../api/github-app/github-app-route.ts';
import { configSchema } from '../../../platform/config/config-schema.ts';
import { findAppSettings, webOrigin } from '../../../platform/github-app/github-app.ts';
import { createSecretGuesses } from '../../../platform/pushes/secret-guesses.ts';
import { createAppSetup } from '../../helpers/create-app-setup.ts';
import { serveRoute } from '../../helpers/serve-route.ts';

const full = { enabled: true, app_id: 4711, private_key: 'key', webhook_secret: 'secret' };
const createMeans = () => ({
  guesses: createSecretGuesses(() => new Date(0)),
  callers: { sourceOf: () => '192.0.2.1' },
});
const find = (values: object) => findAppSettings(configSchema.parse({ github_app: values }).github_app);

test.serial('github-app-route answers 503 and says what is missing', async (t) => {
  const origin = await serveRoute(
    t,
    githubAppRoute({ githubApp: { missing: '"github_app.enabled" is false' }, ...createMeans() }),
  );
  const answer = await fetch(`${origin}/docbuild/github/app`, { method: 'POST', body: '{}' });
  t.is(answer.status, 503);
  const message = 'The GitHub App is not set up on this server: "github_app.enabled" is false';
  t.deepEqual(await answer.json(), { success: false, message });
});

test.serial('github-app-route refuses unsigned calls', async (t) => {
  const { app } = await createAppSetup(t);
  const origin = await serveRoute(t, githubAppRoute({ githubApp: app, ...createMeans() }));
  const answer = await fetch(`${origin}/docbuild/github/app`, {
    method: 'POST',
    headers: { 'x-github-event': 'ping' },
    body: '{}',
  });
  t.is(answer.status, 403);
});

test.serial('github-app-route slows down guesses at the secret of the App', async (t) => {
  const { app } = await createAppSetup(t);
  const origin = await serveRoute(t, githubAppRoute({ githubApp: app, ...createMeans() }));
  const guess = async () => {
    const headers = { 'x-github-event': 'ping', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    return (await fetch(`${origin}/docbuild/github/app`, { method: 'POST', headers, body: '{}' })).status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) statuses.push(await guess());
  t.deepEqual(statuses, [...new Array<number>(20).fill(403), ...new Array<number>(20).fill(429)]);
});

test.serial('find-app-settings() takes the public API unless another is set', (t) => {
  const settings = { appId: '4711', privateKey: 'key', webhookSecret: 'secret' };
  t.deepEqual(find(full), { ...settings, apiUrl: 'https://api.github.com' });
  t.like(find({ ...full, api_url: 'https://git.example.org/api/v3/' }), { apiUrl: 'https://git.example.org/api/v3' });
});

test.serial('find-app-settings() names what is missing', (t) => {
  t.deepEqual(find({}), { missing: '"github_app.enabled" is false' });
  t.deepEqual(find({ ...full, enabled: false }), { missing: '"github_app.enabled" is false' });
  t.deepEqual(find({ enabled: true, app_id: 1 }), {
    missing: '"github_app.private_key", "github_app.webhook_secret" not set',
  });
});

test.serial('web-origin() knows repositories of the public and of an own server', (t) => {
  t.is(webOrigin('https://api.github.com'), 'https://github.com');
  t.is(webOrigin('https://git.example.org:8443/api/v3'), 'https://git.example.org:8443');
  t.is(webOrigin('http://127.0.0.1:9999'), 'https://github.com');
});
