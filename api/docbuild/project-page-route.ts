import type { Build } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import { parseRepositoryAddress } from '../../lib/repository-address.ts';
import { type BuildProblem, formatBuildProblem } from '../../platform/builds/build-logs.ts';
import { WEBHOOK_SENDERS } from '../../platform/code-hosts/code-hosts.ts';
import { isReservedName } from '../../platform/config/service-paths.ts';
import { drawIcon } from '../../platform/projects/draw-icon.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { describeUrl, presentProject } from '../../platform/projects/present-project.ts';
import { findFailing, findVersionStatus } from '../../platform/projects/version-status.ts';
import { UNKNOWN_PROJECT } from '../http/build-answers.ts';
import { sendPage } from '../http/pages.ts';
import { defineRoute, failure, type Route, type RouteExample } from '../http/route.ts';
import type { DocbuildContext } from './docbuild-context.ts';

/** Requests for the page of a project. */
const examples: readonly RouteExample[] = [
  { summary: 'A project', path: '/docbuild/projects/guide', status: 200 },
  { summary: 'No such project', path: '/docbuild/projects/nothing', status: 404, answer: UNKNOWN_PROJECT },
];

const SHOWN_BUILDS = 30;
const SHOWN_VERSIONS = 100;
const SHOWN_PROBLEMS = 100;

/** GET projects/<name>: how a project stands, for people. */
export function projectPageRoute({ store, sites, logs, codeHosts, docsApiUrl, siteUrl }: DocbuildContext): Route {
  return defineRoute({
    method: 'get',
    paths: ['/docbuild/projects/:project'],
    // `/docbuild/projects/desc` describes the project "projects".
    passesBy: ({ project = '' }) => isReservedName(project),
    summary: 'Shows a project as a page',
    tag: 'docbuild',
    area: 'docs',
    answers: { 200: { description: 'A page', media: 'text/html' }, 404: failure('No such project') },
    examples,
    async handle(ctx, { params }) {
      const project = await getProject(store, params['project'] ?? '');
      const { name } = project;
      const index = await sites.read(name);
      const builds = await store.builds.list({ project: name, limit: SHOWN_BUILDS });
      const describe = async ({ ref, ...version }: ShownVersion) => {
        const build = await store.builds.findLastFinished(name, ref);
        const failing = findFailing(project, ref);
        const status = findVersionStatus(project, ref, build);
        return { ...version, ref, status, build: failing?.build ?? build?.id ?? '', failing: failing ?? null };
      };
      const versions = await Promise.all(listShown(project).map(describe));
      const latest = index?.latestRef ?? project.latest;
      const ref = latest === '' ? undefined : latest;
      const last = await store.builds.findLastFinished(name, ref);
      const site = siteUrl(project);
      const address = parseRepositoryAddress(project.url);
      const ownHost = address.kind === 'http' ? codeHosts.find(address.hostname) : undefined;
      sendPage(ctx, 'project.njk', {
        // Where a repository lies on this machine is shown to the operator alone.
        project: { ...presentProject(project, codeHosts), ...describeUrl(project.url, codeHosts) },
        icon: drawIcon(name),
        latest,
        versions,
        builds: builds.map((build) => ({ ...build, result: build.result ?? null })),
        problems: last ? listProblems(await logs.readProblems(name, last.id), last) : '',
        status: findVersionStatus(project, ref, last),
        siteUrl: index ? site : '',
        badgePath: `/docbuild/badge/${name}`,
        webhookUrl: `${docsApiUrl}/docbuild/webhook/${name}`,
        codeHosts: WEBHOOK_SENDERS.map(({ id, name, webhooks }) => ({
          name,
          setup: webhooks.setup,
          isOwn: id === ownHost?.id,
        })),
        badge: createBadgeSnippets(`${docsApiUrl}/docbuild/badge/${name}`, site),
        button: createButtonSnippets(docsApiUrl, name),
      });
    },
  });
}

/** Returns the badge as the formats of READMEs have it. */
function createBadgeSnippets(url: string, site: string) {
  return {
    url,
    markdown: `[![docs](${url})](${site})`,
    html: `<a href="${site}"><img src="${url}" alt="docs"></a>`,
    rest: `.. image:: ${url}\n   :target: ${site}\n   :alt: docs`,
    asciidoc: `image:${url}[docs,link=${site}]`,
  };
}

/**
 * Returns the tag of the nav button, as other generators have it. The script comes from the service itself even where sites
 * load it from a CDN: on pages of others it asks the server that it comes from.
 */
function createButtonSnippets(docsApiUrl: string, name: string) {
  const script = `${docsApiUrl}/docbuild/assets/docbuild.js`;
  const html = `<script defer src="${script}" data-project="${name}"></script>`;
  return {
    origin: new URL(docsApiUrl).origin,
    html,
    vitepress: `export default {\n  head: [['script', { defer: '', src: '${script}', 'data-project': '${name}' }]],\n};`,
    mkdocs: `{% extends "base.html" %}\n{% block extrahead %}\n  {{ super() }}\n  ${html}\n{% endblock %}`,
    sphinx: `html_js_files = [("${script}", {"data-project": "${name}", "defer": "defer"})]`,
  };
}

interface ShownVersion {
  readonly ref: string;
  readonly oid: string;
  readonly builtAt: string;
}

/**
 * Returns versions as the nav button lists them: branches before tags, the newest first. Those that are not published stand above
 * them; of many versions, those that fail are among the shown ones.
 */
function listShown({ failing = [], versions }: Project): readonly ShownVersion[] {
  const isFailing = ({ ref }: ShownVersion): boolean => failing.some((one) => one.ref === ref);
  const leftOut = failing
    .filter(({ ref }) => !versions.some((version) => version.ref === ref))
    .map(({ ref }) => ({ ref, oid: '', builtAt: '' }));
  const byNeed = [...leftOut, ...versions.filter(isFailing), ...versions.filter((version) => !isFailing(version))];
  const shown = new Set<ShownVersion>(byNeed.slice(0, SHOWN_VERSIONS));
  const [tags, branches] = [true, false].map((isTag) => versions.filter(({ kind }) => (kind === 'tag') === isTag));
  return [...leftOut, ...branches!, ...tags!].filter((version) => shown.has(version));
}

/** Returns what the last build complained of. */
function listProblems(problems: readonly BuildProblem[], { reason, result }: Build): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  const rest = (result?.errors ?? 0) + (result?.warnings ?? 0) - shown.length;
  const rows = shown.map(formatBuildProblem);
  return [reason, ...rows, rest > 0 ? `and ${rest} more` : ''].filter(Boolean).join('\n');
}
