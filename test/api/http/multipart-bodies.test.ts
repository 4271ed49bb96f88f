import test, { type ExecutionContext } from 'ava';
import { readForm } from '../../../api/http/bodies.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import fc from '../../helpers/fast-check.ts';
import { serveRoutes } from '../../helpers/serve-routes.ts';

const TYPE = 'multipart/form-data; boundary=xYzZY';
const HEADER = 'Content-Disposition: form-data';
const part = (header: string, value = 'v'): string => `--xYzZY\r\n${header}\r\n\r\n${value}\r\n`;
const field = part(`${HEADER}; name="a"`);

interface Answer {
  readonly status: number;
  readonly fields?: readonly (readonly [string, string])[];
}

/** Serves an endpoint that returns the fields of a form. */
async function serveForm(t: ExecutionContext) {
  const origin = await serveRoutes(t, async (ctx) => {
    ctx.body = { fields: [...(await readForm(ctx))] };
  });
  return async (body: FormData | string, type?: string): Promise<Answer> => {
    const headers = typeof body === 'string' ? { 'Content-Type': type ?? TYPE } : undefined;
    const answer = await fetch(origin, { method: 'POST', body, ...(headers && { headers }) });
    const { fields } = (await answer.json()) as Answer;
    return { status: answer.status, ...(fields && { fields }) };
  };
}

test('readForm() reads what any FormData is encoded as, and ignores its files', async (t) => {
  const send = await serveForm(t);
  const name = fc.string({ unit: fc.constantFrom(...'abcXYZ_-.[]äö道'), minLength: 1, maxLength: 12 });
  const value = fc
    .string({ unit: 'binary', maxLength: 30 })
    .map((one) => Buffer.from(one.replace(/[\r\n]/g, '')).toString());
  const form = fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([one]) => one });
  await fc.assert(
    fc.asyncProperty(form, async (fields) => {
      const data = new FormData();
      for (const [one, text] of fields) data.append(one, text);
      data.append('file', new Blob(['\r\n--xYzZY\r\n']), 'a".txt');
      t.deepEqual(await send(data), { status: 200, fields });
    }),
  );
});

test('readForm() reads what different clients send', async (t) => {
  const send = await serveForm(t);
  const forms: readonly string[] = [
    `${field}--xYzZY--\r\n`,
    `${field}--xYzZY--`,
    `A form\r\n${field}--xYzZY--\r\nThe end`,
    `${part(`Content-Type: text/plain; charset=utf-8\r\n${HEADER}; name=a`)}--xYzZY--\r\n`,
    `${part('content-disposition:form-data;name="a"\r\nContent-Length: 1')}--xYzZY--\r\n`,
    `${field}${part(`${HEADER}; name="f"; filename="x"`)}--xYzZY--\r\n`,
  ];
  for (const form of forms) t.deepEqual(await send(form), { status: 200, fields: [['a', 'v']] }, form);
  const type = 'multipart/form-data; charset=utf-8; Boundary="xYzZY"';
  t.deepEqual(await send(`${field}--xYzZY--\r\n`, type), { status: 200, fields: [['a', 'v']] });
});

test('readForm() keeps values as they are, whatever looks like a delimiter in them', async (t) => {
  const send = await serveForm(t);
  const values = ['', '\r\n', '\r\n\r\nb', '-xYzZY', 'x--xYzZY\r\n', '\r\n--xYzZY2\r\n', '\r\n--xYzZ', 'ä道', '\0'];
  for (const value of values) {
    const answer = await send(`${part(`${HEADER}; name="a"`, value)}--xYzZY--\r\n`);
    t.deepEqual(answer, { status: 200, fields: [['a', value]] }, JSON.stringify(value));
  }
});

test('readForm() refuses what is no form', async (t) => {
  const send = await serveForm(t);
  const cases: readonly (readonly [text: string, type?: string])[] = [
    ['a=b'],
    [field],
    [`${field}--xYzZY--`, 'multipart/form-data'],
    [`${field}--xYzZY--`, 'multipart/form-data; boundary=other'],
    [`${field}${field}--xYzZY--`],
    [`${part(`${HEADER}; name="a"\r\nContent-Transfer-Encoding: none`)}--xYzZY--`],
    [`${field.repeat(101)}--xYzZY--`],
  ];
  for (const [text, type] of cases) t.deepEqual(await send(text, type), { status: 400 }, text.slice(0, 60));
});

test('readForm() refuses a part header whose parsing would take time that grows with the square of its length', async (t) => {
  const send = await serveForm(t);
  const body = part(`${HEADER}; name=a; ${'filename="a",'.repeat(4_500)}`);
  t.deepEqual(await send(`${body}--xYzZY--`), { status: 400 });
});

test.serial('readForm() takes no more than a moment for hostile bodies', async (t) => {
  const send = await serveForm(t);
  await send(`${field}--xYzZY--`);
  const bodies = [
    part(`${HEADER} ${'; '.repeat(30_000)}`),
    part(`${HEADER};${' '.repeat(60_000)}x`),
    part(`${HEADER}${'; name="'.repeat(7_000)}`),
    part(`${HEADER}; a="${'\\'.repeat(60_000)}`),
    'content-disposition: form-data'.repeat(2_000),
    '\r\n--xYzZ'.repeat(7_000),
    '--xYzZY\r\n'.repeat(6_000),
    `--xYzZY${' '.repeat(60_000)}`,
    `--xYzZY\r\n${'a:\r\n'.repeat(15_000)}`,
  ];
  for (const body of bodies) {
    const startMs = cpuTimeMs();
    const { status } = await send(`${body}--xYzZY--`);
    t.true(status === 400 || status === 200, body.slice(0, 60));
    t.true(cpuTimeMs() - startMs < 2_000, body.slice(0, 60));
  }
});
