import test from 'ava';
import { DataError } from '../../data/data-error.ts';
import { waitForOwner } from '../../service/wait-for-owner.ts';

test('waitForOwner() tries again until the store is free, and says once what it waits for', async (t) => {
  const said: string[] = [];
  let tries = 0;
  const opened = await waitForOwner(
    async () => {
      if (++tries < 4) throw new DataError('busy', 'Cannot use "x": process 7 is using it');
      return 'open';
    },
    { onWait: (message) => said.push(message), waitMs: 10_000 },
  );
  t.is(opened, 'open');
  t.deepEqual(said, ['Cannot use "x": process 7 is using it; waiting for up to 10 seconds']);
});

test('waitForOwner() gives up with the owner, and at once for any other failure', async (t) => {
  const busy = (): Promise<never> => Promise.reject(new DataError('busy', 'process 7 is using it'));
  await t.throwsAsync(waitForOwner(busy, { onWait: () => {}, waitMs: 300 }), { message: 'process 7 is using it' });
  const damaged = new DataError('damaged', 'not to be read');
  const onWait = (): void => t.fail();
  await t.throwsAsync(
    waitForOwner(() => Promise.reject(damaged), { onWait }),
    { is: damaged },
  );
});

test('waitForOwner() gives up at once where the owner is going to stay', async (t) => {
  let tries = 0;
  const busy = async (): Promise<never> => {
    tries++;
    throw new DataError('busy', 'process 7 is using it');
  };
  const onWait = (): void => t.fail();
  await t.throwsAsync(waitForOwner(busy, { onWait, isStaying: async () => true }), {
    message: 'process 7 is using it',
  });
  t.is(tries, 1);
});
