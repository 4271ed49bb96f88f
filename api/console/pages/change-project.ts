import { DataError } from '../../../data/data-error.ts';
import type { RepositoryReport } from '../../../platform/operations/inspections.ts';
import type { PresentedProject } from '../../../platform/projects/present-project.ts';
import type { ConsoleContext, ConsolePage, ConsolePart, ConsoleRequest } from '../console-page.ts';
import { listRefBoxes, presentFields, readFields } from '../project-form.ts';
import { checkCommands, keepSecrets } from './new-project.ts';

const SECTION = '/control/projects';
/** Builds that are counted before they are removed; a project keeps about 200. */
const MAX_COUNTED = 1_000;

/** Changes and removals of projects, for operators. */
export function changeProjectPages(context: ConsoleContext): ConsolePart {
  const { operations, settings, idempotency, drafts } = context;
  const common = { isForOperators: true, section: SECTION };
  /** Looks at the repository with other settings than those of the project; the same address keeps its credentials. */
  const look = (project: PresentedProject, url: string, sourceDir: string): Promise<RepositoryReport> =>
    operations.inspectRepository({
      name: project.name,
      settings: { sourceDir, ...(url !== project.url && { url }) },
    });
  const edit: ConsolePage = {
    ...common,
    path: `${SECTION}/:name/edit`,
    template: 'project-edit.njk',
    async model({ params: { name = '' }, visitor, query, form }) {
      const project = await operations.getProject({ name });
      const draftId = form?.get('look') ?? query.get('look') ?? '';
      const report = drafts.find(visitor.tokenHash, draftId)?.report ?? null;
      const refs = listRefBoxes(report?.refs ?? listKnownRefs(project));
      return {
        project,
        report,
        refs,
        draftId: report ? draftId : '',
        hasCredentials: !project.public,
        path: `${SECTION}/${project.name}/edit`,
        timeout: settings.current().builds.timeout_s,
        submissionId: idempotency.createId(),
        initial: presentFields(project, refs.boxes),
      };
    },
  };
  const remove: ConsolePage = {
    ...common,
    path: `${SECTION}/:name/remove`,
    template: 'project-remove.njk',
    async model({ params: { name = '' } }) {
      const project = await operations.getProject({ name });
      const builds = await operations.listBuilds({ project: name, limit: MAX_COUNTED });
      return {
        project,
        builds: builds.length,
        open: builds.filter(({ status }) => status === 'queued' || status === 'running').length,
        deliveries: (await operations.listDeliveries({ name })).length,
        siteUrl: project.versions.length > 0 ? context.siteUrl(project) : '',
        submissionId: idempotency.createId(),
      };
    },
  };

  async function change(request: ConsoleRequest & Required<Pick<ConsoleRequest, 'form'>>) {
    const {
      form,
      visitor,
      params: { name = '' },
    } = request;
    const project = await operations.getProject({ name });
    const url = form.get('url')?.trim() ?? '';
    const sourceDir = form.get('source')?.trim() ?? '';
    const { settings: fields, made } = readFields(form, project);
    await checkCommands(context, request, fields, project);
    const isElsewhere = url !== project.url || sourceDir !== project.sourceDir;
    if (isElsewhere && form.get('unseen') !== '1') checkReport(await look(project, url, sourceDir));
    const { rebuild } = await operations.updateProject({
      name,
      settings: { ...fields, sourceDir, ...(url !== project.url && { url }) },
      isPublic: form.get('public') === '1',
    });
    keepSecrets(context, visitor.tokenHash, project.name, made);
    const isRequested = form.get('build') === '1';
    if (isRequested) await operations.build({ name, all: true });
    const flash = isRequested || rebuild !== undefined ? 'project-changed-building' : 'project-changed';
    return { path: `${SECTION}/${project.name}`, flash } as const;
  }

  return {
    pages: [edit, remove],
    actions: [
      {
        path: `${SECTION}/:name/look`,
        page: edit,
        async run({ params: { name = '' }, visitor }) {
          const project = await operations.getProject({ name });
          const { url, sourceDir } = project;
          const report = await look(project, url, sourceDir);
          const id = drafts.put(visitor.tokenHash, { url, sourceDir, report });
          return { path: `${SECTION}/${project.name}/edit?look=${id}` };
        },
      },
      {
        path: edit.path,
        page: edit,
        run: (request) =>
          idempotency.run(`${request.visitor.tokenHash} ${request.params['name']}`, request.form, () =>
            change(request),
          ),
      },
      {
        path: remove.path,
        page: remove,
        run: ({ params: { name = '' }, visitor, form }) =>
          idempotency.run(`${visitor.tokenHash} ${name}`, form, async () => {
            const project = await operations.getProject({ name });
            if (form.get('confirm')?.trim() !== project.name) {
              throw new DataError('invalid', `Enter the name "${project.name}" to remove the project`);
            }
            await operations.removeProject({ name });
            return { path: SECTION, flash: 'project-removed' };
          }),
      },
    ],
  };
}

/** Returns the refs that are known without looking at the repository. */
function listKnownRefs({ versions, failing = [] }: PresentedProject) {
  const published = versions.flatMap(({ ref: name, kind }) => (kind === 'worktree' ? [] : [{ name, kind }]));
  const others = failing.filter(({ ref }) => !versions.some((version) => version.ref === ref));
  return [...published, ...others.map(({ ref }) => ({ name: ref }))];
}

/** Throws DataError `invalid` where a repository has no such folder. */
function checkReport({ documentation, head }: RepositoryReport): void {
  if (documentation.kind !== 'missing') return;
  const { folder, folders } = documentation;
  const what = folder === null ? 'no documentation' : `no folder "${folder}"`;
  const known = folders.map((one) => `"${one.folder}"`).join(', ');
  const hint = known === '' ? '' : `; folders with pages: ${known}`;
  throw new DataError('invalid', `Branch "${head}" of the repository has ${what}${hint}`);
}
