import test from 'ava';
import * as z from 'zod';
import { complaint, IssuePhrase } from '../../lib/issue-phrase.ts';

function findIssue(schema: z.ZodType, value: unknown): IssuePhrase {
  return new IssuePhrase(schema.safeParse(value).error!.issues[0]!);
}

test('the complaint of a schema is English as a string, and keeps its key and its values', (t) => {
  const found = findIssue(z.string().max(3, complaint`must not have more than ${3} letters`), 'four');
  t.is(String(found), 'must not have more than 3 letters');
  t.is(found.key, 'must not have more than {0} letters');
  t.deepEqual(found.values, [3]);
  t.is(found.inChinese(), undefined);
});

test('what Zod says itself is known in Chinese', (t) => {
  const found = findIssue(z.enum(['a', 'b']), 'c');
  t.is(String(found), 'Invalid option: expected one of "a"|"b"');
  t.regex(found.inChinese()!, /[\u4e00-\u9fff].*"a"\|"b"/);
  t.is(String(findIssue(z.string(), 1)), 'expected string, received number');
});

test('IssuePhrase.inChinese() knows what Zod says of values of a wrong type', (t) => {
  const words = (schema: z.ZodType, value: unknown): string | undefined => findIssue(schema, value).inChinese();
  for (const value of [0, true, [], {}, null, Number.NaN, undefined])
    t.regex(words(z.string(), value)!, /期望 .*，实际接收/);
  for (const value of ['', '1', Number.NaN]) t.regex(words(z.number(), value)!, /期望 数字，实际接收/);
  t.truthy(words(z.int(), 1.5));
});
