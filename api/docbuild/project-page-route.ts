import { drawIcon } from '../../platform/projects/draw-icon.ts';
import { describeUrl, presentProject } from '../../platform/projects/present-project.ts';
import { isReservedName } from '../../platform/projects/project-settings.ts';
import { sendPage } from '../http/answers.ts';
import { defineRoute, failure, type Route } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';
import { projectPageExamples } from './docbuild-examples.ts';
import { getProject } from './get-project.ts';

const SHOWN_BUILDS = 30;
const SHOWN_VERSIONS = 100;
const SHOWN_PROBLEMS = 100;

/** GET projects/<name>: how a project stands, for people. */
export function projectPageRoute({ store, sites, logs, docsApiUrl, siteUrl }: DocbuildContext): Route {
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/projects/:project'],
    // `/docbuild/projects/desc` describes the project "projects".
    passesBy: ({ project = '' }) => isReservedName(project),
    summary: 'Shows a project to people',
    tag: 'docbuild',
    area: 'docs',
    answers: { 200: { description: 'A page', media: 'text/html' }, 404: failure('No such project') },
    examples: projectPageExamples,
    async handle(ctx, { params }) {
      const project = await getProject(store, params['project']);
      const { name } = project;
      const index = await sites.read(name);
      const builds = await store.builds.list({ project: name, limit: SHOWN_BUILDS });
      const versions = await Promise.all(
        project.versions.slice(0, SHOWN_VERSIONS).map(async (version) => ({
          ...version,
          build: (await store.builds.findLastFinished(name, version.ref)) ?? null,
        })),
      );
      const latest = index?.latest ?? project.latest;
      const last = await store.builds.findLastFinished(name, latest === '' ? undefined : latest);
      const site = siteUrl(project);
      const badgeUrl = `${docsApiUrl}/docbuild/badge/${name}`;
      sendPage(ctx, 'project.njk', {
        // Where a repository lies on this machine is shown to the operator alone.
        project: { ...presentProject(project), ...describeUrl(project.url) },
        icon: drawIcon(name),
        latest,
        versions,
        builds: builds.map((build) => ({ ...build, result: build.result ?? null })),
        problems: last ? findProblems(await logs.read(name, last.id), last.reason) : '',
        status: last?.status ?? 'unknown',
        siteUrl: index ? site : '',
        badgeUrl,
        badgePath: `/docbuild/badge/${name}`,
        webhookUrl: `${docsApiUrl}/docbuild/webhook/${name}`,
        snippets: {
          markdown: `[![docs](${badgeUrl})](${site})`,
          rest: `.. image:: ${badgeUrl}\n   :target: ${site}\n   :alt: docs`,
          html: `<a href="${site}"><img src="${badgeUrl}" alt="docs"></a>`,
        },
      });
    },
  });
}

/** Gives what the last build complained of. */
function findProblems(log: string, reason: string): string {
  const warnings = log.split('\n').filter((line) => line.startsWith('Warning: '));
  const shown = warnings.slice(0, SHOWN_PROBLEMS);
  const rest = warnings.length - shown.length;
  return [reason, ...shown, rest > 0 ? `and ${rest} more` : ''].filter(Boolean).join('\n');
}
