import { findAppSettings, webOrigin } from '../../../api/github-app/github-app.ts';
import { githubAppRoute } from '../../../api/github-app/github-app-route.ts';
import { configSchema } from '../../../platform/config/config-schema.ts';
import { createAppSetup } from '../../helpers/create-app-setup.ts';
import test from '../../helpers/serial-test.ts';
import { serveRoute } from '../../helpers/serve-route.ts';

const full = { enabled: true, app_id: 4711, private_key: 'key', webhook_secret: 'secret' };
const find = (values: object) => findAppSettings(configSchema.parse({ github_app: values }).github_app);

test('github-app-route answers 503 and says what is missing', async (t) => {
  const origin = await serveRoute(t, githubAppRoute({ githubApp: { missing: '"github_app.enabled" is false' } }));
  const answer = await fetch(`${origin}/docbuild/github/app`, { method: 'POST', body: '{}' });
  t.is(answer.status, 503);
  const message = 'The GitHub App is not set up on this server: "github_app.enabled" is false';
  t.deepEqual(await answer.json(), { success: false, message });
});

test('github-app-route refuses unsigned calls', async (t) => {
  const { app } = await createAppSetup(t);
  const origin = await serveRoute(t, githubAppRoute({ githubApp: app }));
  const answer = await fetch(`${origin}/docbuild/github/app`, {
    method: 'POST',
    headers: { 'x-github-event': 'ping' },
    body: '{}',
  });
  t.is(answer.status, 403);
});

test('find-app-settings() takes the public API unless another is set', (t) => {
  const settings = { appId: '4711', privateKey: 'key', webhookSecret: 'secret' };
  t.deepEqual(find(full), { ...settings, apiUrl: 'https://api.github.com' });
  t.like(find({ ...full, api_url: 'https://git.example.org/api/v3/' }), { apiUrl: 'https://git.example.org/api/v3' });
});

test('find-app-settings() names what is missing', (t) => {
  t.deepEqual(find({}), { missing: '"github_app.enabled" is false' });
  t.deepEqual(find({ ...full, enabled: false }), { missing: '"github_app.enabled" is false' });
  t.deepEqual(find({ enabled: true, app_id: 1 }), {
    missing: '"github_app.private_key", "github_app.webhook_secret" not set',
  });
});

test('web-origin() knows repositories of the public and of an own server', (t) => {
  t.is(webOrigin('https://api.github.com'), 'https://github.com');
  t.is(webOrigin('https://git.example.org:8443/api/v3'), 'https://git.example.org:8443');
  t.is(webOrigin('http://127.0.0.1:9999'), 'https://github.com');
});
