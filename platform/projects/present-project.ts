import type { Project } from '../../data/records/project.ts';
import { describeUrl, type UrlDescription } from './describe-url.ts';

/** A project as its operator sees it: credentials and secret left out. */
export type PresentedProject = Omit<Project, 'url' | 'secret'> & UrlDescription & { readonly hasSecret: boolean };

/** Gives a project fit to be shown. */
export function presentProject({ secret, ...project }: Project): PresentedProject {
  const described = describeUrl(project.url);
  return { ...project, ...described, url: described.url || project.url, hasSecret: secret !== '' };
}
