import test from 'ava';
import fc from 'fast-check';
import { parseMultipart } from '../../../api/http/bodies.ts';

const TYPE = 'multipart/form-data; boundary=xYzZY';
const part = (header: string, value = 'v'): string => `--xYzZY\r\n${header}\r\n\r\n${value}\r\n`;
const field = part('Content-Disposition: form-data; name="a"');
const parse = (text: string, type = TYPE) => parseMultipart(Buffer.from(text), type);

test('parseMultipart() reads what any FormData is encoded as', async (t) => {
  const text = fc
    .string({ unit: 'binary', maxLength: 30 })
    .map((one) => Buffer.from(one.replace(/[\r\n]/g, '')).toString());
  const form = fc.array(fc.tuple(text, text), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(form, async (fields) => {
      const data = new FormData();
      for (const [name, value] of fields) data.append(name, value);
      data.append('file', new Blob(['\r\n--xYzZY\r\n']), 'a".txt');
      const encoded = new Response(data);
      const type = encoded.headers.get('Content-Type')!;
      t.deepEqual(parseMultipart(Buffer.from(await encoded.arrayBuffer()), type), fields);
    }),
  );
});

test('parseMultipart() reads what different clients send', (t) => {
  const forms: readonly string[] = [
    `${field}--xYzZY--\r\n`,
    `${field}--xYzZY--`,
    `A form\r\n${field}--xYzZY--\r\nThe end`,
    `${field.replace('\r\n', ' \t\r\n')}--xYzZY--\r\n`,
    `${part('Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a')}--xYzZY--\r\n`,
    `${part('content-disposition:form-data;name="a"\r\nContent-Length: 1')}--xYzZY--\r\n`,
    `${field}${part("Content-Disposition: form-data; name=f; filename=x; filename*=utf-8''x")}--xYzZY--\r\n`,
    `${part('Content-Disposition: form-data; filename="name=b"; name="f"')}${field}--xYzZY--\r\n`,
  ];
  for (const form of forms) t.deepEqual(parse(form), [['a', 'v']], form);
  t.deepEqual(parse(`${field}--xYzZY--\r\n`, 'multipart/form-data; charset=utf-8; Boundary="xYzZY"'), [['a', 'v']]);
  t.deepEqual(parse('--xYzZY--\r\n'), []);
});

test('parseMultipart() keeps values as they are, whatever looks like a delimiter in them', (t) => {
  const header = 'Content-Disposition: form-data; name="a"';
  for (const value of [
    '',
    '\r\n',
    '\r\n\r\nb',
    '-xYzZY',
    'x--xYzZY\r\n',
    '\r\n--xYzZY2\r\n',
    '\r\n--xYzZ',
    'ä道',
    '\0',
  ]) {
    t.deepEqual(parse(`${part(header, value)}--xYzZY--\r\n`), [['a', value]], JSON.stringify(value));
  }
});

test('parseMultipart() gives equal names as often as they stand there', (t) => {
  t.deepEqual(parse(`${field}${field}--xYzZY--`), [
    ['a', 'v'],
    ['a', 'v'],
  ]);
});

test('parseMultipart() refuses what is no form', (t) => {
  const cases: readonly (readonly [text: string, type?: string])[] = [
    [''],
    ['a=b'],
    [field],
    [`${field}--xYzZY`],
    [`${field}--xYzZY--`, 'multipart/form-data'],
    [`${field}--xYzZY--`, 'multipart/form-data; boundary='],
    [`${field}--xYzZY--`, 'multipart/form-data; boundary=other'],
    [`${part('Content-Type: text/plain')}--xYzZY--`],
    [`${part('Content-Disposition: form-data')}--xYzZY--`],
    [`${part('Content-Disposition: attachment; name="a"')}--xYzZY--`],
    ['--xYzZY\r\nContent-Disposition: form-data; name="a"\r\n--xYzZY--'],
    ['--xYzZY\r\n--xYzZY--'],
    [`${field.repeat(1001)}--xYzZY--`],
  ];
  for (const [text, type] of cases) t.throws(() => parse(text, type), undefined, text.slice(0, 60));
});

test('parseMultipart() takes no more than a moment for hostile bodies', (t) => {
  const header = 'Content-Disposition: form-data';
  const bodies = [
    part(`${header}${'; '.repeat(30_000)}`),
    part(`${header};${' '.repeat(60_000)}x`),
    part(`${header}${'; a="'.repeat(12_000)}`),
    part(`${header}; a="${'\\'.repeat(60_000)}`),
    '\r\n--xYzZ'.repeat(8_000),
    '--xYzZY\r\n'.repeat(6_000),
    `--xYzZY${' '.repeat(60_000)}`,
    `--xYzZY\r\n${'a:\r\n'.repeat(15_000)}`,
  ];
  for (const body of bodies) {
    const start = performance.now();
    t.throws(() => parse(`${body}--xYzZY--`), undefined, body.slice(0, 60));
    t.true(performance.now() - start < 200, body.slice(0, 60));
  }
});
