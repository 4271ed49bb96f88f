import * as z from 'zod';
import { IssuePhrase } from '../../lib/issue-phrase.ts';
import { phrase } from '../../lib/phrase.ts';
import { isRefExcluded } from '../../platform/builds/excluded-refs.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { findRef } from '../../platform/projects/find-ref.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { checkSign } from '../../platform/pushes/check-sign.ts';
import { readFields } from '../http/bodies.ts';
import { acceptedSchema } from '../http/build-answers.ts';
import { defineRoute, failure, type HeaderProof, type Route } from '../http/route.ts';
import { buildExamples } from './build-examples.ts';
import type { DocbuildContext } from './docbuild-context.ts';

const MAX_BODY_BYTES = 100_000;

const fieldsSchema = {
  type: 'object',
  properties: { branch: { type: 'string', description: 'The same; the query takes precedence' } },
};
/** `findRef` refuses impossible names, with the words that webhooks are refused with. */
const branchSchema = z.string().trim().optional();
const query = z.object({
  branch: branchSchema.describe(
    'Branch or tag to build; default: `latest`, which builds all of them as long as the project has no site',
  ),
});
/** Proves that the caller knows the project's secret. */
const SIGN: HeaderProof = {
  id: 'docbuild-sign',
  header: 'X-Docbuild-Sign',
  description: 'md5 (hex, lower case) of the project’s secret',
};

/** POST build: asks for a build of one branch or tag. */
export function buildRoute({ store, queue, sites, docsApiUrl, callers, guesses }: DocbuildContext): Route {
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/build/:project', '/docbuild/:project/build'],
    summary: 'Builds a branch or tag',
    tag: 'docbuild',
    area: 'docs',
    query,
    // Asked of projects with a secret alone.
    credentials: { ways: [SIGN], isRequired: false },
    body: {
      'application/x-www-form-urlencoded': { schema: fieldsSchema },
      'multipart/form-data': { schema: fieldsSchema },
      'application/json': { schema: fieldsSchema },
    },
    examples: buildExamples,
    answers: {
      201: { description: 'Accepted; `Location` is the build', schema: acceptedSchema },
      200: {
        description: 'The branch is excluded from building',
        schema: z.object({ success: z.literal(false), message: z.string(), branch: z.string() }),
      },
      400: failure('The branch or the body is invalid'),
      403: failure('The signature is missing or wrong'),
      404: failure('No such project'),
      413: failure('The body has more than 100 kB'),
      415: failure('The body is neither a form nor JSON'),
      429: failure('Too many wrong signatures; `Retry-After` says how long to wait'),
      503: failure('Too many builds of this project are waiting; `Retry-After` says how long to wait'),
    },
    async handle(ctx, { params, query: { branch } }) {
      const project = await getProject(store, params['project'] ?? '');
      checkSign(project, { sign: ctx.get('X-Docbuild-Sign'), source: callers.sourceOf(ctx) }, guesses);
      const fields = await readFields(ctx, MAX_BODY_BYTES);
      const ref = await findRef(project, branch || readBranch(fields), sites);
      if (ref !== '' && isRefExcluded(project, ref)) {
        ctx.status = 200;
        ctx.body = { success: false, message: 'excluded branch', branch: ref };
        return;
      }
      const build = await queue.request({ project: project.name, ref, commit: '', cause: 'api' });
      ctx.status = 201;
      ctx.set('Location', `${docsApiUrl}/docbuild/builds/${build.id}`);
      ctx.body = { success: true, message: '', branch: ref || 'latest', build: { id: build.id, status: build.status } };
    },
  });
}

function readBranch(fields: ReadonlyMap<string, unknown>): string {
  const result = branchSchema.safeParse(fields.get('branch') ?? undefined);
  if (result.success) return result.data ?? '';
  const why = new IssuePhrase(result.error.issues[0]!);
  throw new ServiceError('bad-request', phrase`Field "branch": ${why}`);
}
