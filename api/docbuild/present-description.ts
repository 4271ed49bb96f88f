import type { Project } from '../../data/records/project.ts';
import { drawIcon } from '../../platform/projects/draw-icon.ts';
import { describeUrl } from '../../platform/projects/present-project.ts';
import { findHere } from './find-here.ts';
import type { SiteIndex } from './site-indexes.ts';

/** Versions that are named with what is wrong; the answer is asked for with each page. */
const MAX_FAILING = 50;

/** Returns a project as readers' pages and other programs see it (`service.md` 2.6); with `path`, also what is at it. */
export function presentDescription(project: Project, index: SiteIndex | undefined, path: string | undefined): object {
  const here = path === undefined || !index ? undefined : findHere(index, path);
  return {
    dn: project.domain !== '',
    domain: project.domain === '' ? null : project.domain,
    ...describeUrl(project.url),
    hideGit: project.hideGit,
    icon: drawIcon(project.name),
    lang: index ? index.languages : project.lang,
    latest: index ? index.latest : project.latest,
    showNav: project.showNav,
    single: project.single,
    sourceDir: project.sourceDir || 'docs',
    versions: Object.fromEntries(index?.versions ?? []),
    refs: Object.fromEntries(index?.refs ?? []),
    failing: Object.fromEntries((project.failing ?? []).slice(0, MAX_FAILING).map(({ ref, reason }) => [ref, reason])),
    ...(path !== undefined && { here: here ?? null }),
  };
}
