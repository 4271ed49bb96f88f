import { EXAMPLE, exampleGithubHeaders, type RouteExample } from '../http/route.ts';
import { exampleBuild, VARYING_BUILD } from './build-examples.ts';
import { unknownProject } from './docbuild-examples.ts';

const commit = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const push = {
  ref: 'refs/heads/main',
  before: '0000000000000000000000000000000000000000',
  after: commit,
  created: false,
  deleted: false,
  forced: false,
  head_commit: { id: commit },
};
const giteePush = { hook_name: 'push_hooks', ref: 'refs/heads/main', after: commit, created: false, deleted: false };
const accepted = { success: true, message: '', branch: 'main', build: exampleBuild };

/** Calls of code hosts. */
export const webhookExamples: readonly RouteExample[] = [
  {
    summary: 'GitHub reports a push',
    path: '/docbuild/webhook/guide',
    headers: exampleGithubHeaders('push', push),
    json: push,
    status: 201,
    answer: accepted,
    varies: VARYING_BUILD,
  },
  {
    summary: 'Gitee reports a push',
    path: '/docbuild/guide/webhook',
    headers: { 'X-Gitee-Event': 'Push Hook', 'X-Gitee-Token': EXAMPLE.secret },
    json: giteePush,
    status: 201,
    answer: accepted,
    varies: VARYING_BUILD,
  },
  {
    summary: "GitHub tests the webhook's URL",
    path: '/docbuild/webhook/guide',
    headers: exampleGithubHeaders('ping', { zen: 'Design for failure.' }),
    json: { zen: 'Design for failure.' },
    status: 200,
    answer: { success: true, message: '', ping: 'pong' },
  },
  {
    summary: 'An event that builds nothing',
    path: '/docbuild/webhook/guide',
    headers: exampleGithubHeaders('star', { action: 'created' }),
    json: { action: 'created' },
    status: 200,
    answer: { success: true, message: 'ignored: event "star" builds nothing' },
  },
  {
    summary: 'Without a signature',
    path: '/docbuild/webhook/guide',
    headers: { 'X-GitHub-Event': 'push' },
    json: push,
    status: 403,
    answer: {
      success: false,
      message: 'The signature is missing: header "X-Hub-Signature-256" was not sent; set the webhook\'s secret',
    },
  },
  {
    summary: 'From an unknown service',
    path: '/docbuild/webhook/guide',
    json: push,
    status: 400,
    answer: {
      success: false,
      message: 'Unknown service: neither header "X-GitHub-Event" nor "X-Gitee-Event" was sent',
    },
  },
  { summary: 'No such project', path: '/docbuild/webhook/nothing', json: push, status: 404, answer: unknownProject },
];

/** Calls of the GitHub App. */
export const githubAppExamples: readonly RouteExample[] = [
  {
    summary: 'When the App is not set up',
    path: '/docbuild/github/app',
    headers: { 'X-GitHub-Event': 'installation' },
    json: { action: 'created' },
    status: 503,
    answer: {
      success: false,
      message: 'The GitHub App is not set up on this server: "github_app.enabled" is false',
    },
  },
];
