import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseS3Address } from '../../../../platform/sites/s3/s3-address.ts';
import { openBucket } from '../../../../platform/sites/s3/s3-bucket.ts';
import { type FindCredentials, openCredentials } from '../../../../platform/sites/s3/s3-credentials.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { serveS3 } from '../../../helpers/serve-s3.ts';
import { s3Test, shareS3 } from '../../../helpers/share-s3.ts';

const ONCE = { retryMs: 0 };

function open(
  t: ExecutionContext,
  { endpoint, credentials, now }: { endpoint: string; credentials: FindCredentials; now?: () => Date },
  bucket = `docs-${randomBytes(6).toString('hex')}`,
) {
  const opened = openBucket(parseS3Address(`s3://${bucket}?endpoint=${endpoint}`), credentials, now ? { now } : {});
  t.teardown(() => opened.close());
  return opened;
}

s3Test('S3 says at the start what is wrong: the key, its secret, or the clock', async (t) => {
  const { endpoint, accessKeyId, secretAccessKey } = await shareS3();
  const right = { accessKeyId, secretAccessKey };
  await t.notThrowsAsync(open(t, { endpoint, credentials: () => right }).prepare(ONCE));
  const cases = [
    [{ ...right, accessKeyId: 'NOBODY' }, 0, /\(InvalidAccessKeyId\) .*; check AWS_ACCESS_KEY_ID/],
    [{ ...right, secretAccessKey: 'wrong' }, 0, /\(SignatureDoesNotMatch\) .*; check AWS_SECRET_ACCESS_KEY/],
    [right, 3_600_000, /\(RequestTimeTooSkewed\) .*; set the clock of this machine/],
  ] as const;
  for (const [credentials, lateMs, message] of cases) {
    const now = () => new Date(Date.now() - lateMs);
    const error = await t.throwsAsync(open(t, { endpoint, credentials: () => credentials, now }).prepare(ONCE));
    t.regex(error.message, message);
    t.false((error as { isTemporary?: boolean }).isTemporary);
  }
});

test('S3 says at the start that the bucket does not exist and may not be made', async (t) => {
  const s3 = await serveS3(t);
  s3.fault = (method) => (method === 'PUT' ? 403 : undefined);
  const credentials = () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
  await t.throwsAsync(open(t, { endpoint: s3.url, credentials }, 'typo').prepare(ONCE), {
    message:
      /^Bucket "typo" at \S+ does not exist, and the key may not make it; make the bucket, or correct its name in "sites"$/,
  });
});

test('credentials of S3 are those of the environment, or of a file that is read again when it changes', (t) => {
  const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
  t.deepEqual(openCredentials(environment)(), { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' });
  t.throws(() => openCredentials({}), { message: /set AWS_ACCESS_KEY_ID and .* AWS_SHARED_CREDENTIALS_FILE/ });
  const path = join(createFolder(t), 'credentials');
  const clock = { ms: 0 };
  const read = (profile?: string) =>
    openCredentials({ AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: profile }, () => clock.ms);
  t.throws(() => read(), { message: /credentials" of AWS_SHARED_CREDENTIALS_FILE cannot be read: / });
  writeFileSync(path, '[default]\naws_access_key_id = one\n');
  t.throws(() => read(), { message: /has no aws_access_key_id and aws_secret_access_key in its profile \[default\]/ });
  const write = (id: string): void =>
    writeFileSync(
      path,
      `# comment\n[default]\naws_access_key_id = ${id}\naws_secret_access_key=s=/+\n\n[other]\naws_access_key_id=o\naws_secret_access_key = p\naws_session_token = q\n`,
    );
  write('one');
  const find = read();
  t.deepEqual(find(), { accessKeyId: 'one', secretAccessKey: 's=/+', sessionToken: undefined });
  t.deepEqual(read('other')(), { accessKeyId: 'o', secretAccessKey: 'p', sessionToken: 'q' });
  write('second');
  t.is(find().accessKeyId, 'one', 'not looked at for each request');
  clock.ms += 5_000;
  t.is(find().accessKeyId, 'second');
  for (const damage of [() => writeFileSync(path, '[default]\n'), () => rmSync(path)]) {
    damage();
    clock.ms += 5_000;
    t.is(find().accessKeyId, 'second', 'until there is something to use');
  }
});
