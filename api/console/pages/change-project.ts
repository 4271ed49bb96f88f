import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import { excludedRefs } from '../../../platform/builds/excluded-refs.ts';
import { checkRefs, checkRefsIfKnown } from '../../../platform/operations/check-refs.ts';
import type { RepositoryReport } from '../../../platform/operations/inspections.ts';
import type { Operations } from '../../../platform/operations/operations.ts';
import type { PresentedProject } from '../../../platform/projects/present-project.ts';
import type { ProjectSettings } from '../../../platform/projects/project-settings.ts';
import type { ConsoleContext, ConsolePage, ConsolePart, SubmittedRequest } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';
import { fingerprintFields, keepCheckedBoxes, listRefBoxes, presentFields, readFields } from '../project-form.ts';
import { checkOwnHost, checkServerAccess, findSharedDomainAt, keepSecrets, requestBuild } from '../save-project.ts';

const SECTION = '/control/projects';
/** Builds that are counted before they are removed; a project keeps about 200. */
const MAX_COUNTED = 1_000;

/** Changes and removals of projects, for operators. */
export function changeProjectPages(context: ConsoleContext): ConsolePart {
  const { settings, idempotency, drafts } = context;
  const common = { isForOperators: true, section: SECTION };
  /** Looks at the repository with other settings than those of the project; the same address keeps its credentials. */
  const look = (
    operations: Operations,
    project: PresentedProject,
    url: string,
    sourceDir: string,
  ): Promise<RepositoryReport> =>
    operations.inspectRepository({
      name: project.name,
      settings: { sourceDir, ...(url !== project.url && { url }) },
    });
  const edit: ConsolePage = {
    ...common,
    path: `${SECTION}/:name/edit`,
    template: 'project-edit.njk',
    async model(request) {
      const { operations, visitor, query, form } = request;
      const project = await operations.getProject({ name: request.params['name'] ?? '' });
      const draftId = form?.get('look') ?? query.get('look') ?? '';
      const report = (await drafts.find(visitor.tokenHash, draftId))?.report ?? null;
      const listed = report ? listRefBoxes(report.refs, report.refCount) : listRefBoxes(listKnownRefs(project));
      const refs = { ...listed, boxes: keepCheckedBoxes(listed.boxes, form) };
      return {
        project,
        report,
        refs,
        draftId: report ? draftId : '',
        ownSharedDomain: findSharedDomainAt(request, project),
        hasCredentials: !project.public,
        path: `${SECTION}/${project.name}/edit`,
        timeout: settings.current().builds.timeout_s,
        scheduleMinutes: settings.current().builds.schedule_minutes,
        pollMinutes: settings.current().builds.poll_minutes,
        timezone: settings.current().timezone,
        submissionId: idempotency.createId(),
        fingerprint: fingerprintFields(project),
        initial: presentFields(project, refs.boxes),
      };
    },
  };
  const remove: ConsolePage = {
    ...common,
    path: `${SECTION}/:name/remove`,
    template: 'project-remove.njk',
    async model({ operations, params: { name = '' } }) {
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

  async function change(request: SubmittedRequest) {
    const {
      form,
      operations,
      visitor,
      params: { name = '' },
    } = request;
    const project = await operations.getProject({ name });
    checkUnchanged(form, project);
    const url = form.get('url')?.trim() ?? '';
    const sourceDir = form.get('source')?.trim() ?? '';
    const { settings: fields, made } = readFields(form, project);
    await checkServerAccess(context, request, { ...fields, url }, project);
    checkOwnHost(request, project.name, fields.domain);
    if (form.get('unseen') !== '1') {
      const refs = { ...fields, meta: { ...project.meta, ...fields.meta } };
      const lookThere = () => look(operations, project, url, sourceDir);
      if (url !== project.url || sourceDir !== project.sourceDir) {
        const report = await lookThere();
        checkReport(report);
        checkRefs(report, refs);
      } else if (refs.latest !== project.latest || excludedRefs(refs) !== excludedRefs(project)) {
        await checkRefsIfKnown(lookThere, refs);
      }
      // That may have taken a while.
      checkUnchanged(form, await operations.getProject({ name }));
    }
    const { rebuild, rebuildError } = await operations.updateProject({
      name,
      settings: selectChanges({ ...fields, sourceDir, url }, project),
      isPublic: form.get('public') === '1',
    });
    await keepSecrets(context, visitor.token, project.name, made);
    const path = `${SECTION}/${project.name}`;
    if (form.get('build') === '1') {
      const isRequested = await requestBuild(operations, name);
      return { path, flash: isRequested ? 'project-changed-building' : 'project-changed-unbuilt' } as const;
    }
    if (rebuildError !== undefined) return { path, flash: 'project-changed-unbuilt' } as const;
    return { path, flash: rebuild === undefined ? 'project-changed' : 'project-changed-building' } as const;
  }

  return {
    pages: [edit, remove],
    actions: [
      {
        path: `${SECTION}/:name/look`,
        page: edit,
        async run({ operations, params: { name = '' }, visitor }) {
          const project = await operations.getProject({ name });
          const { url, sourceDir } = project;
          const report = await look(operations, project, url, sourceDir);
          const id = await drafts.put(visitor.tokenHash, { url, sourceDir, report });
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
        run: ({ operations, params: { name = '' }, visitor, form }) =>
          idempotency.run(`${visitor.tokenHash} ${name}`, form, async () => {
            const project = await operations.getProject({ name });
            if (form.get('confirm')?.trim() !== project.name) {
              throw new DataError('invalid', phrase`Enter the name "${project.name}" to remove the project`);
            }
            await operations.removeProject({ name });
            return { path: SECTION, flash: 'project-removed' };
          }),
      },
    ],
  };
}

/** Throws DataError `invalid` where somebody else has changed a project meanwhile, which a form would change back. */
function checkUnchanged(form: ConsoleForm, project: PresentedProject): void {
  if ((form.get('fingerprint') ?? '') === fingerprintFields(project)) return;
  throw new DataError(
    'invalid',
    phrase`The project has been changed since this page was opened; save again to replace that`,
  );
}

/** Returns the settings that differ from those of a project, so that the audit log names no others. */
function selectChanges(
  { meta = {}, ...settings }: Partial<ProjectSettings>,
  project: PresentedProject,
): Partial<ProjectSettings> {
  const before: Readonly<Record<string, unknown>> = { ...project };
  const changed = Object.entries(settings).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  );
  const entries = Object.entries(meta).filter(([name, value]) => value !== (project.meta[name] ?? ''));
  return { ...Object.fromEntries(changed), ...(entries.length > 0 && { meta: Object.fromEntries(entries) }) };
}

/** Returns the refs that are known without looking at the repository. */
function listKnownRefs({ versions, failing }: PresentedProject) {
  const published = versions.flatMap(({ ref: name, kind }) => (kind === 'worktree' ? [] : [{ name, kind }]));
  const others = failing.filter(({ ref }) => !versions.some((version) => version.ref === ref));
  return [...published, ...others.map(({ ref }) => ({ name: ref }))];
}

/** Throws DataError `invalid` where a repository has no such folder. */
function checkReport({ documentation, head }: RepositoryReport): void {
  if (documentation.kind !== 'missing') return;
  const { folder, folders } = documentation;
  const known = folders.map((one) => `"${one.folder}"`).join(', ') || phrase`none`;
  throw new DataError(
    'invalid',
    folder === null
      ? phrase`Branch "${head}" has no documentation; folders with pages: ${known}`
      : phrase`Branch "${head}" has no folder "${folder}"; folders with pages: ${known}`,
  );
}
