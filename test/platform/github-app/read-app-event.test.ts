import test from 'ava';
import { WebhookError } from '../../../platform/code-hosts/code-host.ts';
import { readAppEvent } from '../../../platform/github-app/read-app-event.ts';
import fc from '../../helpers/fast-check.ts';
import { webhookExamples } from '../../helpers/webhook-examples.ts';

for (const { title, event, payload } of webhookExamples('installation', 'installation_repositories')) {
  test(`read-app-event() reads example ${title}`, (t) => {
    const meaning = readAppEvent(event, payload);
    const { action, installation } = payload;
    const isRevoked = ['deleted', 'suspend', 'removed'].includes(action);
    t.is(meaning.kind, isRevoked ? 'revoked' : 'granted');
    t.like(meaning, { installation: { id: installation.id, permissions: installation.permissions } });
    const list = isRevoked ? payload.repositories_removed : (payload.repositories_added ?? payload.repositories);
    const names = list?.map(({ full_name }: { full_name: string }) => full_name);
    t.deepEqual('repositories' in meaning && meaning.repositories?.map(({ owner, repo }) => `${owner}/${repo}`), names);
  });
}

const [example] = webhookExamples('installation_repositories');

test('read-app-event() throws nothing but WebhookError 400, whatever comes', (t) => {
  const kinds = new Set<string>();
  const names = fc.constantFrom('action', 'installation', 'repositories', 'repositories_added', '__proto__');
  const value = fc.oneof(fc.anything(), fc.constantFrom('created', 'added', 'removed', { id: 1 }));
  const actions = fc.constantFrom('created', 'added', 'removed', 'deleted', 'suspend', 'edited');
  const payload = fc.oneof(
    fc.anything(),
    actions.map((action) => ({ ...example?.payload, action })),
    fc.dictionary(names, value),
    fc.dictionary(names, value).map((changes) => ({ ...example?.payload, ...changes })),
  );
  const event = fc.oneof(fc.constantFrom('installation', 'installation_repositories', 'ping'), fc.string());
  fc.assert(
    fc.property(event, payload, (name, body) => {
      try {
        kinds.add(readAppEvent(name, body).kind);
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error;
        kinds.add(error.code);
      }
    }),
    { numRuns: 1_000 },
  );
  t.deepEqual([...kinds].sort(), ['granted', 'ignored', 'ping', 'revoked', 'wrong-shape']);
});
