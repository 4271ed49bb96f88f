import test from 'ava';
import { type Adapter, throwsData } from './adapter.ts';

/** Declares what a store of redirects does. */
export function testRedirects({ name, open, reopen }: Adapter): void {
  test(`${name}: redirects.add() adds to what is there, whatever the case of a code`, async (t) => {
    const store = await open(t);
    await Promise.all([
      store.redirects.add(
        new Map([
          ['Go', 1],
          ['go', 1],
          ['constructor', 1],
        ]),
      ),
      store.redirects.add(new Map([['gO', 3]])),
    ]);
    const { redirects } = await reopen(store);
    t.deepEqual(await redirects.count(['GO', 'none', 'constructor', '__proto__', 'go']), [5, 0, 1, 0, 5]);
    const strange = ['\0', '\ud800', '{a,b}', '"', 'NULL', 'x'.repeat(2000)];
    await redirects.add(new Map(strange.map((code, i) => [code, i + 1])));
    t.deepEqual(await redirects.count(strange), [1, 2, 3, 4, 5, 6]);
    t.deepEqual(await redirects.count([]), []);
    await throwsData(
      t,
      redirects.add(
        new Map([
          ['go', 1],
          ['', 1],
        ]),
      ),
      'invalid',
    );
    t.deepEqual(await redirects.count(['go']), [5], 'all or none');
  });
}
