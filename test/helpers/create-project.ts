import type { Project } from '../../data/records/project.ts';

/** Gives a project with usual fields, but those that are named. */
export function createProject(fields: Partial<Project> = {}): Project {
  return {
    name: 'guide',
    url: 'https://github.com/Codertocat/Hello-World.git',
    latest: '',
    single: false,
    sourceDir: 'docs',
    lang: [],
    secret: 'the secret',
    showNav: true,
    hideGit: false,
    domain: '',
    before: '',
    after: '',
    meta: {},
    createdAt: '2026-01-01T00:00:00.000Z',
    versions: [],
    ...fields,
  };
}
