import test, { type ExecutionContext } from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { createMcpThread, type McpAnswer } from '../../../platform/mcp/mcp-thread.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_versions', arguments: {} } };
const never = (): Promise<undefined> => new Promise(() => {});

/** Returns a function that asks a site for its versions, whose files are read so. */
function createAsk(t: ExecutionContext, options: { readonly timeoutMs?: number } = {}) {
  const errors: unknown[] = [];
  const thread = createMcpThread({ onError: (error) => errors.push(error), ...options });
  t.timeout(60_000);
  const ask = (read: (path: string) => Promise<Uint8Array | undefined>, source = 'somebody'): Promise<McpAnswer> => {
    const site = { key: 'teapot', url: 'https://docs.example.org/', title: 'Teapot', read };
    return thread.answer({ site, source, headers: HEADERS, body: JSON.stringify(CALL) });
  };
  return { ask, errors };
}

test('the thread for MCP tells what is wrong with a site in words, and the server what nobody expected', async (t) => {
  const { ask, errors } = createAsk(t);
  const nothing = await ask(async () => undefined);
  t.is(nothing.status, 200);
  t.regex(nothing.body, /Nothing of this documentation is published yet/);
  const busy = await ask(() => Promise.reject(new DataError('busy', 'The storage is away')));
  t.regex(busy.body, /The storage is away/);
  t.deepEqual(errors, []);
  const broken = await ask(() => Promise.reject(new Error('A secret of the disk')));
  t.regex(broken.body, /cannot be read at the moment/);
  t.notRegex(broken.body, /secret/);
  t.regex(String(errors[0]), /A secret of the disk/);
  const damaged = await ask(async () => Buffer.from('{"format":'));
  t.regex(damaged.body, /cannot be read at the moment/);
});

test('the thread for MCP is ended with a request that does not end, and another one answers the next', async (t) => {
  const { ask } = createAsk(t, { timeoutMs: 10_000 });
  await t.throwsAsync(ask(never), { name: 'ServiceError', message: /Too many requests at once/ });
  t.is((await ask(async () => undefined)).status, 200);
});

test('the thread for MCP answers others in turn, whoever has many requests under way, and refuses more of these', async (t) => {
  const { ask } = createAsk(t, { timeoutMs: 20_000 });
  let release = (): void => {};
  const gate = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  const greedy = Array.from({ length: 14 }, () => ask(() => gate, 'greedy'));
  const refused = await t.throwsAsync(ask(() => gate, 'greedy'));
  t.is((refused as Error & { code: string }).code, 'too-many-waiting');
  const order: string[] = [];
  const other = ask(async () => undefined, 'other').then(() => order.push('other'));
  const last = greedy.at(-1)!.then(() => order.push('greedy'));
  release();
  await Promise.all([other, last, ...greedy]);
  t.deepEqual(order, ['other', 'greedy']);
});
