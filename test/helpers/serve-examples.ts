import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { finishedBuild, foundProblems } from '../../api/docbuild/build-examples.ts';
import { EXAMPLE } from '../../api/http/route.ts';
import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import type { Store } from '../../data/store.ts';
import { hashToken } from '../../platform/accounts/tokens.ts';
import { createBuildLogs } from '../../platform/builds/build-logs.ts';
import { createLogFiles } from '../../platform/builds/log-storages.ts';
import { createShortUrl } from './create-records.ts';
import { createFolder, createRepository } from './create-repository.ts';
import { createServer, type TestServer } from './create-server.ts';
import { alphaJson, betaRss } from './engine-pages.ts';
import { page, serveEngines } from './serve-engines.ts';
import { imageEntry, serveImages } from './serve-images.ts';
import { commitFiles } from './write-pages.ts';

/** A Sunday. */
export const EXAMPLE_NOW = new Date('2026-03-15T10:30:00.000Z');
const CREATED = '2026-03-01T00:00:00.000Z';

/** A server with everything that examples speak of. */
export interface ExampleServer extends TestServer {
  /** Where the pictures of the day are; examples say `https://images.example`. */
  readonly imageUrl: string;
}

/**
 * Serves what examples of the document and of the documentation speak of: projects, an account with key and session, short
 * URLs, search engines that have `https://example.com/`, and pictures. It is half past ten on 2026-03-15, UTC.
 */
export async function serveExamples(t: ExecutionContext, yaml = ''): Promise<ExampleServer> {
  const engines = await serveEngines(t);
  engines.answer(page(alphaJson(['https://example.com/'])), 'json');
  engines.answer(page(betaRss(['https://example.com/']), { 'content-type': 'text/xml' }), 'rss');
  const images = await serveImages(t, '20260315');
  images.fault = (_, response) => {
    const entry = imageEntry('20260315', {
      urlbase: '/th?id=OHR.Place',
      copyright: 'A place (© somebody)',
      title: 'A place',
    });
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ images: [entry], tooltips: {} }));
  };
  const folder = createFolder(t);
  const address = `base_url: "${engines.url}"`;
  const utility = `utility: {alpha: {${address}}, beta: {${address}}, image: {base_url: "${images.url}"}}`;
  let clockMs = EXAMPLE_NOW.getTime();
  const now = (): Date => new Date(clockMs);
  const first = await createServer(t, `${utility}\n${yaml}`, folder, now);
  const { uid } = await first.operations.createUser(EXAMPLE);
  await addProjects(t, first);
  await first.operations.addBlock({ kind: 'host', target: new URL(EXAMPLE.unsafeUrl).hostname });
  await first.close();
  await addRecords(t, join(folder, 'base/store'), uid);
  clockMs = EXAMPLE_NOW.getTime();
  return { ...(await createServer(t, `${utility}\n${yaml}`, folder, now)), imageUrl: images.url };
}

async function addProjects(t: ExecutionContext, server: TestServer): Promise<void> {
  const repository = createRepository(t);
  const page = { 'docs/en/index.md': '# Guide\n', 'docs/en/start.md': '# Start\n', 'docs/zh_CN/index.md': '# 指南\n' };
  commitFiles(repository, page);
  repository.git('tag', 'v1.0');
  commitFiles(repository, { 'docs/en/more.md': '# More\n' });
  repository.git('tag', 'v1.1');
  const { project, openProject, secret } = EXAMPLE;
  const url = repository.folder;
  await server.operations.createProject({ name: project, settings: { url, secret, sourceDir: 'docs' } });
  await server.operations.createProject({ name: openProject, settings: { url } });
  await server.operations.updateProject({ name: project, changes: 'meta:excluded_branch=test|dependabot/**' });
  const { id } = await server.operations.build({ name: project, all: true });
  const { status, reason } = await server.operations.waitForBuild({ id });
  t.is(status, 'passing', reason);
}

/** Adds what has an id or secret of its own choice, which the service never gives out. */
async function addRecords(t: ExecutionContext, folder: string, uid: string): Promise<void> {
  const store = await openLowdbStore({ folder, onWarning: (message) => t.fail(message) });
  try {
    await addCredentials(store, uid);
    await addShortUrls(store, uid);
    await store.builds.add(finishedBuild);
    const logs = createBuildLogs(createLogFiles(join(folder, '../logs')));
    await logs.writeProblems(finishedBuild.project, finishedBuild.id, foundProblems);
  } finally {
    await store.close();
  }
}

async function addCredentials(store: Store, uid: string): Promise<void> {
  const { key, token } = EXAMPLE;
  const info = { id: '0123456789abcdef', uid, permission: 'read', isDisabled: false, createdAt: CREATED } as const;
  const unused = { name: undefined, lastUsedAt: undefined };
  await store.keys.add({ ...info, ...unused, hash: hashToken(key), prefix: key.slice(0, 12) }, { most: 5 });
  const session = { tokenHash: hashToken(token), uid, createdAt: CREATED, expiresAt: '2026-04-01T00:00:00.000Z' };
  await store.sessions.add(session, { most: 50 });
}

async function addShortUrls(store: Store, uid: string): Promise<void> {
  const { code, disabledCode, unsafeCode, longUrl, unsafeUrl } = EXAMPLE;
  for (const [made, target, isCustom, isDisabled] of [
    [code, longUrl, false, false],
    [disabledCode, 'https://example.org/news', true, true],
    [unsafeCode, unsafeUrl, true, false],
  ] as const)
    await store.shortUrls.add(
      createShortUrl({ code: made, longUrl: target, uid, isCustom, isDisabled, createdAt: CREATED }),
    );
}
