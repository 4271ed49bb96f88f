import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { shortenUrl } from '../../../platform/short-urls/shorten-url.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import { throwsData } from '../contract/adapter.ts';

const request = { uid: '1', longUrl: 'https://example.org/' };
const now = new Date('2026-05-04T03:02:01.000Z');

test('lowdb: a short URL is given to nobody before it is on disk, also to those who ask for the same', async (t) => {
  const folder = join(createFolder(t), 'store');
  const store = await openStore(t, folder);
  const context = { shortUrls: store.shortUrls, perDay: 1, isOwn: async () => false, checkChange: () => {}, now };
  const obstacle = join(folder, 'short-urls.json.tmp');
  mkdirSync(obstacle);
  const first = shortenUrl(request, context);
  const second = shortenUrl(request, context);
  await throwsData(t, first, 'unwritable');
  rmdirSync(obstacle);
  const [again, later] = await Promise.all([second, shortenUrl(request, context)]);
  if (again.kind === 'limited' || later.kind === 'limited') return t.fail('A failed write counts');
  t.is(again.shortUrl.code, later.shortUrl.code);
  await store.close();
  const { shortUrls } = await openStore(t, folder);
  t.deepEqual(await shortUrls.list({ limit: 9 }), [again.shortUrl]);
});
