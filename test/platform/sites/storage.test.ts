import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import test from 'ava';
import { createFolderSites } from '../../../platform/sites/folder-sites.ts';
import { createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openS3Sites } from '../../helpers/open-s3-sites.ts';
import { openStore } from '../../helpers/open-store.ts';
import { serveS3 } from '../../helpers/serve-s3.ts';
import { s3Test, shareS3 } from '../../helpers/share-s3.ts';
import { testStorage } from './storage-contract.ts';

testStorage(
  'sites in folders',
  (title, implementation) => test.serial(title, implementation),
  async (t) => {
    const storage = createFolderSites({
      folder: join(createFolder(t), 'sites'),
      onError: (error) => t.fail(String(error)),
    });
    t.teardown(() => storage.close());
    return storage;
  },
);

testStorage(
  'sites in a fake of S3',
  (title, implementation) => test.serial(title, implementation),
  async (t) => {
    const { url } = await serveS3(t);
    const folder = createFolder(t);
    const { projects, builds } = await openStore(t, join(folder, 'store'));
    await projects.add(createProject({ name: 'guide', versions: [] }));
    const server = { endpoint: url, accessKeyId: 'key', secretAccessKey: 'secret' };
    return openS3Sites(t, { server, bucket: 'docs', folder, projects, builds }).sites;
  },
);

testStorage('sites in S3', s3Test, async (t) => {
  const server = await shareS3();
  const folder = createFolder(t);
  const { projects, builds } = await openStore(t, join(folder, 'store'));
  await projects.add(createProject({ name: 'guide', versions: [] }));
  const bucket = `docs-${randomBytes(6).toString('hex')}`;
  return openS3Sites(t, { server, bucket, folder, projects, builds }).sites;
});
