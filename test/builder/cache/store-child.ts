import { contentKey } from '../../../builder/cache/content-key.ts';
import { openEntryStore } from '../../../builder/cache/entry-store.ts';

/** A process of its own that opens and closes a store many times, adding to it; prints the values that were wrong. */
const { folder, rounds, maxBytes, isReadOnly } = JSON.parse(process.argv[2]!) as {
  readonly folder: string;
  readonly rounds: number;
  readonly maxBytes: number;
  readonly isReadOnly?: boolean;
};
const wrong: string[] = [];
let found = 0;
for (let round = 0; round < rounds; round++) {
  const store = openEntryStore({ folder, maxBytes });
  for (let at = 0; at < 50; at++) {
    const text = String((round * 7 + at) % 200).repeat(100);
    const value = store.read(contentKey(text), Buffer.from);
    if (value === undefined) store.set(contentKey(text), Buffer.from(text));
    else if (value.toString() === text) found++;
    else wrong.push(text);
  }
  const failure = store.close();
  if (failure && !isReadOnly) wrong.push(String(failure));
}
process.stdout.write(JSON.stringify({ wrong, found }));
