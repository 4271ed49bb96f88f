import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../../platform/failures/service-error.ts';
import { checkSign } from '../../../platform/pushes/check-sign.ts';
import { createSecretGuesses } from '../../../platform/pushes/secret-guesses.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer } from '../../helpers/create-server.ts';

const LONG = { name: 'guide', secret: 'a secret of the project' };
/** From before there was a limit. */
const SHORT = { name: 'guide', secret: 'secret' };
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A check at a time that the test moves; returns the status that each signature is answered with. */
function createPlace(project = LONG) {
  let now = 0;
  const guesses = createSecretGuesses(() => new Date(now));
  const check = (to: typeof project, sent: { readonly sign: string; readonly source: string }): void =>
    checkSign(to, sent, guesses);
  const send = (sign: string, source = '192.0.2.1', to = project): number => {
    try {
      check(to, { sign, source });
      return 201;
    } catch (error) {
      if (error instanceof ServiceError) return error.status;
      throw error;
    }
  };
  const guess = (count: number, source?: string, to?: typeof project): readonly number[] =>
    Array.from({ length: count }, (_, i) => send(md5(`guess ${i}`), source, to));
  const wait = (seconds: number): void => {
    now += seconds * 1000;
  };
  return { check, send, guess, wait };
}

const count = (statuses: readonly number[], status: number): number => statuses.filter((one) => one === status).length;

test('checkSign() takes the lower-case hex md5 of the secret and nothing else', (t) => {
  const { check, send } = createPlace(SHORT);
  t.is(send('5ebe2294ecd0e0f08eab7690d2a6ee69'), 201);
  const right = md5(SHORT.secret);
  for (const sign of ['', 'secret', right.toUpperCase(), `${right} `, right.slice(1), `${right}0`, 'é'.repeat(32)]) {
    const error = t.throws(() => check(SHORT, { sign, source: 'x' }), { name: 'ServiceError' }, sign) as ServiceError;
    t.is(error.status, 403);
    t.regex(error.message, /X-Docbuild-Sign must be the md5/);
  }
});

test('checkSign() asks for nothing where there is no secret', (t) => {
  t.is(createPlace().send('anything', 'x', { name: 'guide', secret: '' }), 201);
});

test('checkSign() answers 20 wrong signatures of a source a minute, and says when it answers the next', (t) => {
  const { check, guess, wait } = createPlace();
  const statuses = guess(500);
  t.deepEqual([count(statuses, 403), count(statuses, 429)], [20, 480]);
  const refused = t.throws(() => check(LONG, { sign: 'x', source: '192.0.2.1' })) as ServiceError;
  t.is(refused.headers['Retry-After'], '3');
  t.is(refused.limit, 'signatures');
  wait(3);
  t.deepEqual(guess(2), [403, 429]);
  t.is(count(guess(30, '192.0.2.2'), 403), 20, 'others have their own');
});

test('checkSign() does not count requests without a signature', (t) => {
  const { send } = createPlace();
  for (let i = 0; i < 1_000; i++) t.is(send(''), 403);
});

for (const [kind, project] of [
  ['long', LONG],
  ['short', SHORT],
] as const) {
  test(`checkSign() answers 100 wrong signatures for a project a minute, then one of each source, with a ${kind} secret`, (t) => {
    const { guess, send } = createPlace(project);
    const right = md5(project.secret);
    t.is(send(right, 'ci'), 201);
    const statuses = Array.from({ length: 50 }, (_, i) => guess(20, `198.51.100.${i}`)).flat();
    t.is(count(statuses, 403), 100 + 45);
    t.is(send(right, 'ci'), 201, 'where the right one has come from before');
    t.is(send(right, 'new'), 201, 'and from elsewhere');
    t.deepEqual(guess(2, 'newer'), [403, 429]);
    t.is(send(md5('x'), 'newest', { ...project, name: 'other' }), 403, 'other projects have nothing to do with it');
  });
}

test('checkSign() lets a right signature through from an address that others guess from', (t) => {
  const { guess, send } = createPlace();
  guess(1_000);
  t.is(send(md5(LONG.secret)), 201);
});

test('checkSign() lets nobody find a short secret from one address, and no one lock out the known sender there for long', (t) => {
  const stranger = createPlace(SHORT);
  stranger.guess(1_000);
  t.is(stranger.send(md5(SHORT.secret)), 429, 'the right guess is not told from a wrong one');
  const known = createPlace(SHORT);
  t.is(known.send(md5(SHORT.secret)), 201);
  t.is(count(known.guess(59), 403), 59);
  t.is(known.send(md5(SHORT.secret)), 201);
  known.guess(100);
  t.is(known.send(md5(SHORT.secret)), 429);
  known.wait(1);
  t.is(known.send(md5(SHORT.secret)), 201);
});

async function createGuide(t: ExecutionContext) {
  const server = await createServer(t, 'api: {port: 0, trusted_proxies: 1}\n');
  const repository = createRepository(t);
  repository.write('docs/index.md', '# One\n');
  repository.commit('First');
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, secret: LONG.secret } });
  return (sign: string, from: string) =>
    server.post('/docbuild/build/guide', '', { 'X-Docbuild-Sign': sign, 'X-Forwarded-For': from });
}

test('POST build: guesses are answered with 429, and meanwhile the right signature with 201', async (t) => {
  const build = await createGuide(t);
  const statuses: number[] = [];
  for (let i = 0; i < 60; i++) statuses.push((await build(md5(`guess ${i}`), '203.0.113.9')).status);
  t.true(count(statuses, 403) < 40 && count(statuses, 403) + count(statuses, 429) === 60, `${statuses}`);
  const refused = await build('x', '203.0.113.9');
  t.is(refused.status, 429);
  t.regex(refused.headers.get('retry-after')!, /^\d+$/);
  t.like(await refused.json(), { success: false });
  for (const from of ['203.0.113.9', '192.0.2.1']) t.is((await build(md5(LONG.secret), from)).status, 201);
});
