import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { parseRepositoryAddress, repositoryKey } from '../../../lib/repository-address.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import { checkRefs } from '../../../platform/operations/check-refs.ts';
import type { ProjectDraft } from '../../../platform/operations/project-drafts.ts';
import { isProjectName } from '../../../platform/projects/project-settings.ts';
import type { ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest, SubmittedRequest } from '../console-page.ts';
import { listRefBoxes, readFields } from '../project-form.ts';
import { checkOwnHost, checkServerAccess, isOnServer, keepSecrets, requestBuild } from '../save-project.ts';

const SECTION = '/control/projects';
/** No name of a project can make it the path of that project's page. */
const PATH = '/control/new-project';
/** Names that are tried, should the repository's be taken. */
const MAX_PROPOSED = 20;

/** New projects, for operators: first the repository is looked at, then the project is created. */
export function newProjectPages(context: ConsoleContext): ConsolePart {
  const { store, settings, idempotency, drafts } = context;
  const common = { isForOperators: true, section: SECTION };
  const getDraft = async ({
    params: { draft = '' },
    visitor: { tokenHash },
  }: ConsoleRequest): Promise<ProjectDraft> => {
    const found = await drafts.find(tokenHash, draft);
    if (found) return found;
    throw new DataError(
      'not-found',
      phrase`This form has expired; enter the address of the repository again at ${PATH}`,
    );
  };
  const look = async ({ operations, visitor }: ConsoleRequest, url: string, sourceDir: string) => {
    const report = await operations.inspectRepository({ settings: { url, sourceDir } });
    return { path: `${PATH}/${await drafts.put(visitor.tokenHash, { url, sourceDir, report })}` };
  };
  const first: ConsolePage = { ...common, path: PATH, template: 'new-project.njk', model: async () => ({}) };
  const second: ConsolePage = {
    ...common,
    path: `${PATH}/:draft`,
    template: 'project-draft.njk',
    async model(request) {
      const { url, sourceDir, report } = await getDraft(request);
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
        scheduleMinutes: settings.current().builds.schedule_minutes,
        pollMinutes: settings.current().builds.poll_minutes,
        timezone: settings.current().timezone,
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
    const words = last.replace(/[^0-9a-z_-]+/g, '-').replace(/^[^a-z]+/, '');
    const name = trimCharacters(words, '-').slice(0, 90);
    if (!isProjectName(name)) return '';
    for (let number = 1; number <= MAX_PROPOSED; number += 1) {
      const proposed = number === 1 ? name : `${name}-${number}`;
      if (!(await store.projects.find(proposed))) return proposed;
    }
    return '';
  }

  async function create(request: SubmittedRequest) {
    const { form, operations, visitor, params } = request;
    const { url, sourceDir, report } = await getDraft(request);
    const { settings: fields, made } = readFields(form);
    checkRefs(report, { ...fields, meta: fields.meta ?? {} });
    await checkServerAccess(context, request, { ...fields, url });
    checkOwnHost(request, form.get('name')?.trim() ?? '', fields.domain);
    const created = await operations.createProject({
      name: form.get('name')?.trim() ?? '',
      settings: { ...fields, url, sourceDir },
      isPublic: form.get('public') === '1',
    });
    await keepSecrets(context, visitor.token, created.name, made);
    await drafts.remove(visitor.tokenHash, params['draft'] ?? '');
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
        run: async (request) => look(request, (await getDraft(request)).url, request.form.get('source')?.trim() ?? ''),
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
