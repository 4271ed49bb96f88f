import test from 'ava';
import { DataError } from '../../../data/data-error.ts';
import { createPasswords, type DeriveKey } from '../../../platform/accounts/passwords.ts';
import { CHEAP } from '../../helpers/create-accounts.ts';

/** Derives at once and remembers what it was asked. */
function createDerive() {
  const asked: Parameters<DeriveKey>[] = [];
  let running = 0;
  let mostRunning = 0;
  const derive: DeriveKey = async (...args) => {
    asked.push(args);
    mostRunning = Math.max(mostRunning, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    return Buffer.alloc(args[1].bytes, args[0]);
  };
  return { derive, asked, mostRunning: () => mostRunning };
}

test.serial(
  'createPasswords() keeps a password by scrypt with at least 2^15 rounds, its own salt, and the parameters',
  async (t) => {
    const passwords = createPasswords();
    const [one, other] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    t.not(one, other);
    const [, scheme, parameters, salt, hash] = one.split('$');
    t.deepEqual([scheme, parameters], ['scrypt', 'ln=15,r=8,p=3']);
    t.deepEqual([Buffer.from(salt!, 'base64').length, Buffer.from(hash!, 'base64').length], [16, 32]);
    t.notRegex(one, /horse/);
    t.deepEqual(await passwords.verify('correct horse', one), { isRight: true, isOutdated: false });
    t.false((await passwords.verify('correct horsf', one)).isRight);
  },
);

test.serial('createPasswords() takes a known vector of RFC 7914', async (t) => {
  // scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1), first 32 of 64 bytes.
  const salt = Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '');
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const kept = `$scrypt$ln=14,r=8,p=1$${salt}$${hash.toString('base64').replace(/=+$/, '')}`;
  t.deepEqual(await createPasswords().verify('pleaseletmein', kept), { isRight: true, isOutdated: true });
});

test.serial('createPasswords() does the same work for an account that does not exist', async (t) => {
  const { derive, asked } = createDerive();
  const passwords = createPasswords({ derive });
  const kept = await passwords.hash('correct horse');
  asked.length = 0;
  t.false((await passwords.verify('something else', kept)).isRight);
  t.false((await passwords.verify('something else', undefined)).isRight);
  t.false((await passwords.verify('something else', 'damaged')).isRight);
  const shapes = asked.map(([password, { salt, ...options }]) => ({ password, salt: salt.length, ...options }));
  t.is(shapes.length, 3);
  t.deepEqual(shapes[1], shapes[0]);
  t.deepEqual(shapes[2], shapes[0]);
});

test.serial('createPasswords() tells what was kept with less than is asked for today', async (t) => {
  const old = createPasswords({ parameters: CHEAP });
  const kept = await old.hash('correct horse');
  const { isRight, isOutdated } = await createPasswords({ parameters: { ...CHEAP, p: 2 } }).verify(
    'correct horse',
    kept,
  );
  t.deepEqual([isRight, isOutdated], [true, true]);
  t.false((await old.verify('correct horse', kept)).isOutdated);
});

test.serial('createPasswords() takes passwords of 8 to 256 characters of any script', async (t) => {
  const passwords = createPasswords({ parameters: CHEAP });
  for (const password of ['12345678', '密'.repeat(8), '😀'.repeat(256), ' '.repeat(8)]) {
    t.true((await passwords.verify(password, await passwords.hash(password))).isRight);
  }
  for (const password of ['', '1234567', '😀'.repeat(7), 'x'.repeat(257), 'x'.repeat(1_000_000)]) {
    const error = await t.throwsAsync(passwords.hash(password), { instanceOf: DataError });
    t.is(error?.message, 'A password must have 8 to 256 characters');
    t.false((await passwords.verify(password, await passwords.hash('12345678'))).isRight);
  }
});

test.serial('createPasswords() takes a password however its accents are written', async (t) => {
  const passwords = createPasswords({ parameters: CHEAP });
  t.true((await passwords.verify('ame\u0301lie 123', await passwords.hash('am\u00e9lie 123'))).isRight);
});

test.serial('createPasswords() derives a few at a time, and refuses when too many wait', async (t) => {
  const { derive, mostRunning } = createDerive();
  const passwords = createPasswords({ derive });
  const ask = (_: unknown, i: number) => passwords.hash('12345678', { standing: 'new', name: `${i}` });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, ask));
  t.is(mostRunning(), 2);
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 52);
  for (const outcome of outcomes) if (outcome.status === 'rejected') t.is(outcome.reason.code, 'busy');
  await t.notThrowsAsync(passwords.hash('12345678'));
  t.is(mostRunning(), 2);
});

test.serial('createPasswords() takes nothing for a hash that would take for ever', async (t) => {
  const { derive, asked } = createDerive();
  const passwords = createPasswords({ derive, parameters: CHEAP });
  for (const stored of [
    '',
    '$scrypt$',
    '$scrypt$ln=30,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA',
    '$scrypt$ln=15,r=99,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA',
    '$scrypt$ln=15,r=8,p=0$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA',
  ]) {
    t.deepEqual(await passwords.verify('correct horse', stored), { isRight: false, isOutdated: false }, stored);
    t.is(asked.at(-1)![1].ln, CHEAP.ln, 'the work of an account that does not exist');
  }
  await passwords.verify('correct horse', '$scrypt$ln=15,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA');
  t.is(asked.at(-1)![1].ln, 15);
});
