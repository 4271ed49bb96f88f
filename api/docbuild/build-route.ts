import { koaBody } from 'koa-body';
import { z } from 'zod';
import { isRefExcluded } from '../../builder/index.ts';
import { ApiError } from '../api-error.ts';
import type { Platform } from '../platform.ts';
import { defineRoute, type Route } from '../routes/route.ts';
import { failure } from './answers.ts';
import { checkSign } from './check-sign.ts';
import { getProject } from './get-project.ts';

const branchName = z
  .string()
  .trim()
  .max(255, 'must not have more than 255 characters')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not have control characters');
const query = z.object({
  branch: branchName.optional().describe('Branch or tag to build; default: the one that `latest` stands for'),
});
const accepted = z.object({
  success: z.literal(true),
  message: z.literal(''),
  branch: z.string(),
  build: z.object({ id: z.string(), status: z.string() }),
});

/** POST build: asks for a build of one branch or tag. */
export function buildRoute({ store, queue, sites, docsApiUrl }: Platform): Route {
  const parseBody = koaBody({
    formLimit: '100kb',
    jsonLimit: '100kb',
    text: false,
    multipart: false,
  });
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/build/:project', '/docbuild/:project/build'],
    summary: 'Builds a branch or tag',
    tag: 'docbuild',
    query,
    headers: { 'X-Docbuild-Sign': 'md5 (hex, lower case) of the project’s secret, when it has one' },
    body: {
      'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { branch: { type: 'string' } } } },
      'application/json': { schema: { type: 'object', properties: { branch: { type: 'string' } } } },
    },
    answers: {
      201: { description: 'Accepted; `Location` is the build', schema: accepted },
      200: failure('The branch is excluded from building'),
      403: failure('The sign is missing or wrong'),
      404: failure('No such project'),
    },
    async handle(ctx, { params, query: { branch } }) {
      const project = await getProject(store, params.project);
      checkSign(project.secret, ctx.get('X-Docbuild-Sign'));
      await parseBody(ctx as never, async () => {});
      const latest = project.latest || (await sites.read(project.name))?.latest;
      const ref = branch || readBranch(ctx.request.body) || latest || '';
      if (ref !== '' && isRefExcluded(project, ref)) {
        ctx.status = 200;
        ctx.body = { success: false, message: 'excluded branch', branch: ref };
        return;
      }
      const build = await queue.request({ project: project.name, ref, commit: '', cause: 'api' });
      ctx.status = 201;
      ctx.set('Location', `${docsApiUrl}/docbuild/builds/${build.id}`);
      ctx.body = { success: true, message: '', branch: ref, build: { id: build.id, status: build.status } };
    },
  });
}

function readBranch(body: unknown): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'branch')) return '';
  const result = branchName.safeParse((body as { branch: unknown }).branch);
  if (!result.success)
    throw new ApiError(
      400,
      'bad-request',
      `Field "branch": ${result.error.issues[0]!.message.replace(/^Invalid input: /, '')}`,
    );
  return result.data;
}
