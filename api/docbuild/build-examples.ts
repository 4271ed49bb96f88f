import type { Build } from '../../data/records/build.ts';
import type { BuildProblem } from '../../platform/builds/build-logs.ts';
import { acceptedExample, UNKNOWN_PROJECT, VARYING_BUILD } from '../http/build-answers.ts';
import { EXAMPLE, EXAMPLE_SIGN, type RouteExample } from '../http/route.ts';

const SIGN = { 'X-Docbuild-Sign': EXAMPLE_SIGN };

/** Requests for builds. */
export const buildExamples: readonly RouteExample[] = [
  {
    summary: 'A branch of a project with a secret',
    path: '/docbuild/build/guide?branch=main',
    headers: SIGN,
    status: 201,
    answer: acceptedExample('main'),
    varies: VARYING_BUILD,
  },
  {
    summary: 'A tag of a project without one, by a form',
    path: '/docbuild/build/notes',
    form: { branch: 'v1.1' },
    status: 201,
    answer: acceptedExample('v1.1'),
    varies: VARYING_BUILD,
  },
  {
    summary: 'The same, by JSON',
    path: '/docbuild/notes/build',
    json: { branch: 'v1.1' },
    status: 201,
    answer: acceptedExample('v1.1'),
    varies: VARYING_BUILD,
  },
  {
    summary: 'A branch that the project’s `excluded_branch` names',
    path: '/docbuild/build/guide?branch=test',
    headers: SIGN,
    status: 200,
    answer: { success: false, message: 'excluded branch', branch: 'test' },
  },
  {
    summary: 'Without the sign',
    path: '/docbuild/build/guide',
    status: 403,
    answer: {
      success: false,
      message: "The header X-Docbuild-Sign must be the md5 (hex, lower case) of the project's secret",
    },
  },
  { summary: 'No such project', path: '/docbuild/build/nothing', status: 404, answer: UNKNOWN_PROJECT },
  {
    summary: 'A field that is not a name',
    path: '/docbuild/build/notes',
    json: { branch: 1 },
    status: 400,
    answer: { success: false, message: 'Field "branch": expected string, received number' },
  },
];

/** A build that has ended. */
export const finishedBuild = {
  id: EXAMPLE.build,
  project: EXAMPLE.project,
  kind: 'build',
  ref: 'main',
  cause: 'webhook',
  status: 'passing',
  commit: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
  reason: '',
  requests: 1,
  retryOf: '',
  interruptions: undefined,
  notBefore: undefined,
  isUnsure: undefined,
  createdAt: '2026-03-14T09:00:00.000Z',
  startedAt: '2026-03-14T09:00:00.100Z',
  finishedAt: '2026-03-14T09:00:01.400Z',
  result: {
    versions: 3,
    languages: 2,
    pages: 8,
    rendered: 1,
    reused: 7,
    errors: 1,
    warnings: 0,
    bytes: 120_000,
    ms: 1200,
    fetchMs: 400,
  },
  isScheduled: undefined,
  run: undefined,
} as const satisfies Build;
const presentedBuild = {
  ...finishedBuild,
  url: `https://docs.example.org/docbuild/builds/${EXAMPLE.build}`,
  log: `https://docs.example.org/docbuild/builds/${EXAMPLE.build}/log`,
  problems: `https://docs.example.org/docbuild/builds/${EXAMPLE.build}/problems`,
};
const unknownBuild = { success: false, message: 'Build "00000000000000000000" does not exist' };

/** Requests for a build. */
export const presentedBuildExamples: readonly RouteExample[] = [
  {
    summary: 'A build that passed',
    path: `/docbuild/builds/${EXAMPLE.build}`,
    status: 200,
    answer: { success: true, message: '', data: presentedBuild },
    varies: ['data.url', 'data.log', 'data.problems'],
  },
  {
    summary: 'The same as a page',
    path: `/docbuild/builds/${EXAMPLE.build}`,
    headers: { Accept: 'text/html' },
    status: 200,
  },
  { summary: 'No such build', path: '/docbuild/builds/00000000000000000000', status: 404, answer: unknownBuild },
];

export const foundProblems: readonly BuildProblem[] = [
  {
    severity: 'error',
    ref: 'v1.0',
    file: 'docs/en/guide/install.md',
    line: 2,
    code: 'front-matter',
    message: 'Front matter is not valid YAML: the key "title" is there twice',
  },
];

/** Requests for what a build found. */
export const problemsExamples: readonly RouteExample[] = [
  {
    summary: 'One version has a page with broken front matter',
    path: `/docbuild/builds/${EXAMPLE.build}/problems`,
    status: 200,
    answer: { success: true, message: '', data: { errors: 1, warnings: 0, problems: foundProblems } },
  },
  {
    summary: 'No such build',
    path: '/docbuild/builds/00000000000000000000/problems',
    status: 404,
    answer: unknownBuild,
  },
];

/** Requests for a log. */
export const logExamples: readonly RouteExample[] = [
  { summary: 'The log as text', path: `/docbuild/builds/${EXAMPLE.build}/log`, status: 200 },
  {
    summary: 'The log as events',
    path: `/docbuild/builds/${EXAMPLE.build}/log`,
    headers: { Accept: 'text/event-stream' },
    status: 200,
  },
  { summary: 'No such build', path: '/docbuild/builds/00000000000000000000/log', status: 404, answer: unknownBuild },
];
