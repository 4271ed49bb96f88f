import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { parseRepositoryAddress, repositoryKey } from '../../../lib/repository-address.ts';
import type { Operations } from '../../../platform/operations/operations.ts';
import { isProjectName, type ProjectSettings } from '../../../platform/projects/project-settings.ts';
import type { ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest, SubmittedRequest } from '../console-page.ts';
import type { ProjectDraft } from '../project-drafts.ts';
import { listRefBoxes, type MadeSecrets, readFields } from '../project-form.ts';

const SECTION = '/control/projects';
/** No name of a project can make it the path of that project's page. */
const PATH = '/control/new-project';
/** Names that are tried, should the repository's be taken. */
const MAX_PROPOSED = 20;

/** New projects, for operators: first the repository is looked at, then the project is created. */
export function newProjectPages(context: ConsoleContext): ConsolePart {
  const { store, settings, idempotency, drafts } = context;
  const common = { isForOperators: true, section: SECTION };
  const getDraft = ({ params: { draft = '' }, visitor: { tokenHash } }: ConsoleRequest): ProjectDraft => {
    const found = drafts.find(tokenHash, draft);
    if (found) return found;
    throw new DataError(
      'not-found',
      phrase`This form has expired; enter the address of the repository again at ${PATH}`,
    );
  };
  const look = async ({ operations, visitor }: ConsoleRequest, url: string, sourceDir: string) => {
    const report = await operations.inspectRepository({ settings: { url, sourceDir } });
    return { path: `${PATH}/${drafts.put(visitor.tokenHash, { url, sourceDir, report })}` };
  };
  const first: ConsolePage = { ...common, path: PATH, template: 'new-project.njk', model: async () => ({}) };
  const second: ConsolePage = {
    ...common,
    path: `${PATH}/:draft`,
    template: 'project-draft.njk',
    async model(request) {
      const { url, sourceDir, report } = getDraft(request);
      const address = parseRepositoryAddress(url);
      const others = await store.projects.listByRepository(repositoryKey(url));
      return {
        path: `${PATH}/${request.params['draft']}`,
        report,
        sourceDir,
        hasCredentials: address.kind === 'http' && address.credentials !== undefined,
        needsPassword: isOnServer(url),
        others: others.map(({ name }) => name),
        refs: listRefBoxes(report.refs, report.refCount),
        timeout: settings.current().builds.timeout_s,
        submissionId: idempotency.createId(),
        initial: { name: await proposeName(url), show_nav: '1', build: '1', secret_kind: 'generate' },
      };
    },
  };

  /** Returns a name that is free; '' where the address suggests none. */
  async function proposeName(url: string): Promise<string> {
    const last =
      repositoryKey(url)
        .replace(/\/\.git$/, '')
        .split('/')
        .pop() ?? '';
    const name = last
      .replace(/[^0-9a-z_-]+/g, '-')
      .replace(/^[^a-z]+|-+$/g, '')
      .slice(0, 90);
    if (!isProjectName(name)) return '';
    for (let number = 1; number <= MAX_PROPOSED; number += 1) {
      const proposed = number === 1 ? name : `${name}-${number}`;
      if (!(await store.projects.find(proposed))) return proposed;
    }
    return '';
  }

  async function create(request: SubmittedRequest) {
    const { form, operations, visitor, params } = request;
    const { url, sourceDir } = getDraft(request);
    const { settings: fields, made } = readFields(form);
    await checkServerAccess(context, request, { ...fields, url });
    const created = await operations.createProject({
      name: form.get('name')?.trim() ?? '',
      settings: { ...fields, url, sourceDir },
      isPublic: form.get('public') === '1',
    });
    keepSecrets(context, visitor.tokenHash, created.name, made);
    drafts.remove(visitor.tokenHash, params['draft'] ?? '');
    const path = `${SECTION}/${created.name}`;
    if (form.get('build') !== '1') return { path, flash: 'project-created' } as const;
    const isRequested = await requestBuild(operations, created.name);
    return { path, flash: isRequested ? 'project-created-building' : 'project-created-unbuilt' } as const;
  }

  return {
    pages: [first, second],
    actions: [
      {
        path: PATH,
        page: first,
        run: (request) =>
          look(request, request.form.get('url')?.trim() ?? '', request.form.get('source')?.trim() ?? ''),
      },
      {
        path: `${PATH}/:draft/look`,
        page: second,
        run: async (request) => look(request, getDraft(request).url, request.form.get('source')?.trim() ?? ''),
      },
      {
        path: `${PATH}/:draft`,
        page: second,
        run: (request) =>
          idempotency.run(`${request.visitor.tokenHash} ${request.params['draft']}`, request.form, () =>
            create(request),
          ),
      },
    ],
  };
}

/**
 * Throws where a form brings other commands, which run on the server, or another folder of the server, which may be private,
 * without the password of whoever sends it.
 */
export async function checkServerAccess(
  context: ConsoleContext,
  request: SubmittedRequest,
  after: Pick<Partial<ProjectSettings>, 'before' | 'after' | 'url'>,
  before: Pick<ProjectSettings, 'before' | 'after' | 'url'> = { before: '', after: '', url: '' },
): Promise<void> {
  const isOther = (field: 'before' | 'after' | 'url'): boolean => !!after[field] && after[field] !== before[field];
  const hasCommand = isOther('before') || isOther('after');
  if (!hasCommand && !(isOther('url') && isOnServer(after.url!))) return;
  const password = request.form.get('password') ?? '';
  if (password === '') {
    throw new DataError(
      'invalid',
      hasCommand
        ? phrase`Commands run on the server: enter your password`
        : phrase`This is a folder of the server: enter your password`,
    );
  }
  await context.checkPassword(request.ctx, { account: request.visitor.user.account, password });
}

function isOnServer(url: string): boolean {
  return parseRepositoryAddress(url).kind === 'path';
}

/** Requests a build of a project that has been stored, whatever comes of it. Returns whether it could be requested. */
export async function requestBuild(operations: Operations, name: string): Promise<boolean> {
  try {
    await operations.build({ name, all: true });
    return true;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return false;
  }
}

/** Keeps secrets that were made for a project until its page shows them, once. */
export function keepSecrets(
  { flashSecrets }: Pick<ConsoleContext, 'flashSecrets'>,
  tokenHash: string,
  name: string,
  { secret, notifySecret }: MadeSecrets,
): void {
  if (secret !== undefined) flashSecrets.put(tokenHash, 'webhook', { secret, of: name });
  if (notifySecret !== undefined) flashSecrets.put(tokenHash, 'notifications', { secret: notifySecret, of: name });
}
