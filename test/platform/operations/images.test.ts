import test from 'ava';
import { createServer } from '../../helpers/create-server.ts';

test('importImages() takes no image of a day that has not begun in its market', async (t) => {
  const server = await createServer(t, '', undefined, () => new Date('2026-03-15T12:00:00Z'));
  const importImage = (market: string, date: string) =>
    server.operations.importImages({ text: JSON.stringify([{ market, date, urlbase: '/th?id=OHR.A' }]) });
  await t.throwsAsync(importImage('zh-CN', '20260316'), { code: 'invalid', message: /day 20260316 is in the future/ });
  t.like(await importImage('zh-CN', '20260315'), { added: 1 });
  t.like(await importImage('en-NZ', '20260316'), { added: 1 }, 'where it has begun');
});
