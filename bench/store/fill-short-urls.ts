import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import { createCode } from '../../platform/short-urls/short-code.ts';
import { createShortUrl } from '../../test/helpers/create-records.ts';

/** Creates a store with short URLs of many users, one made each second; returns their codes. */
export async function fillShortUrls(folder: string, count: number): Promise<readonly string[]> {
  const store = await openLowdbStore({ folder, onWarning: (message) => console.error(message) });
  const distinct = new Set<string>();
  while (distinct.size < count) distinct.add(createCode(count));
  const codes = [...distinct];
  const startMs = Date.UTC(2026, 0, 1);
  await Promise.all(
    codes.map((code, i) =>
      store.shortUrls.add(
        createShortUrl({
          code,
          longUrl: `https://site-${i % 997}.example/articles/2026/${i}/a-title-as-they-are?utm_source=bench&id=${i}`,
          uid: `${1_000_000_000 + (i % 1_000)}`,
          createdAt: new Date(startMs + i * 1000).toISOString(),
        }),
      ),
    ),
  );
  await store.close();
  return codes;
}
