import { createHash, createHmac } from 'node:crypto';

/** What examples of routes speak of, so that those who try them can prepare the same. None of it is a secret of anybody. */
export const EXAMPLE = {
  account: 'reader',
  password: 'correct horse battery',
  /** A project with a secret. */
  project: 'guide',
  secret: 'a secret of the project',
  /** A project without one. */
  openProject: 'notes',
  /** A build of `guide` that passed. */
  build: '00mmrjvx2o0000guide0',
  key: 'dbk_Zm9yLWV4YW1wbGVzLW9ubHktbm8tcmVhbC1rZXkuLi4',
  token: 'dbs_Zm9yLWV4YW1wbGVzLW9ubHktbm8tcmVhbC10b2tlbi4',
  /** Short URLs: one that leads somewhere, one that is disabled, one to a host that the operator warns of. */
  code: 'k7m2xq',
  disabledCode: 'old-news',
  unsafeCode: 'sale',
  longUrl: 'https://example.org/a/long/page?with=query',
  unsafeUrl: 'https://unsafe.example/offer',
} as const;

/** What `X-Docbuild-Sign` has to be for the project with a secret. */
export const EXAMPLE_SIGN = createHash('md5').update(EXAMPLE.secret).digest('hex');

/** Gives the headers with which GitHub would send an event with this JSON body. */
export function exampleGithubHeaders(event: string, body: object): Readonly<Record<string, string>> {
  const hmac = createHmac('sha256', EXAMPLE.secret).update(JSON.stringify(body)).digest('hex');
  return { 'X-GitHub-Event': event, 'X-Hub-Signature-256': `sha256=${hmac}` };
}
