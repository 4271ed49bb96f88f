import test from 'ava';
import { createSignedHeaders, createSigningSecret, isSigningSecret, signWebhook } from '../../lib/standard-webhooks.ts';

test('createSignedHeaders() signs the example of Standard Webhooks as its libraries do', (t) => {
  const headers = createSignedHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    time: new Date(1_614_265_330_999),
    body: '{"test": 2432232314}',
  });
  t.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('createSigningSecret() returns another secret each time, that can be signed with', (t) => {
  const [one, other] = [createSigningSecret(), createSigningSecret()];
  t.not(one, other);
  t.true(isSigningSecret(one) && isSigningSecret(other));
});

test('signWebhook() signs with nothing that is no secret: everybody could', (t) => {
  const message = { id: 'msg_1', timestamp: '1614265330', body: '{}' };
  for (const secret of ['', 'whsec_', 'whsec_====', 'hunter2']) t.is(signWebhook(secret, message), undefined, secret);
  t.throws(() => createSignedHeaders('', { id: 'msg_1', time: new Date(0), body: '' }), { instanceOf: TypeError });
});
