import * as z from 'zod';
import type { WebhookProtocol } from '../../platform/code-hosts/code-host.ts';
import { WEBHOOK_SENDERS } from '../../platform/code-hosts/code-hosts.ts';
import { getProject } from '../../platform/projects/get-project.ts';
import { checkWebhookHead, handleWebhook, type WebhookContext } from '../../platform/pushes/handle-webhook.ts';
import { acceptedExample, acceptedSchema, UNKNOWN_PROJECT, VARYING_BUILD } from '../http/build-answers.ts';
import type { Callers } from '../http/callers.ts';
import { readBody } from '../http/read-body.ts';
import { defineRoute, EXAMPLE, failure, type Route, type RouteExample } from '../http/route.ts';

/** Largest body of a webhook: what GitHub sends at most. */
const MAX_BODY_BYTES = 25 * 1024 * 1024;

const nothingSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  ping: z.literal('pong').optional(),
  branch: z.string().optional(),
});

/** POST webhook: what code hosts call. */
export function webhookRoute({
  webhooks: context,
  callers,
}: {
  readonly webhooks: WebhookContext;
  readonly callers: Pick<Callers, 'sourceOf'>;
}): Route {
  return defineRoute({
    method: 'post',
    paths: ['/docbuild/webhook/:project', '/docbuild/:project/webhook'],
    summary: `Receives webhooks of ${listNames()}`,
    tag: 'docbuild',
    area: 'docs',
    headers: Object.fromEntries(
      WEBHOOK_SENDERS.map(({ name, webhooks }) => [webhooks.eventHeaders[0], `${name}: the event`]),
    ),
    // Asked of projects with a secret alone.
    credentials: { ways: WEBHOOK_SENDERS.flatMap(({ webhooks }) => webhooks.proofs), isRequired: false },
    body: { 'application/json': {}, 'application/x-www-form-urlencoded': {} },
    answers: {
      201: { description: 'A build was requested, or the call joined one', schema: acceptedSchema },
      200: {
        description: 'Nothing to build: a ping, an event that is ignored, an excluded branch',
        schema: nothingSchema,
      },
      400: failure('From an unknown service, or not readable'),
      403: failure('The signature is missing or wrong'),
      404: failure('No such project'),
      413: failure('The body has more than 25 MiB'),
      429: failure('Too many wrong signatures; `Retry-After` says how long to wait'),
    },
    examples: createExamples(),
    async handle(ctx, { params }) {
      const project = await getProject(context.store, params['project'] ?? '');
      const call = { project, headers: ctx.headers, source: callers.sourceOf(ctx) };
      const isKnown = await checkWebhookHead(call, context);
      const rawBody = await readBody(ctx, MAX_BODY_BYTES, { isKnown });
      const { status, body } = await handleWebhook({ ...call, rawBody }, context);
      ctx.status = status;
      ctx.body = body;
    },
  });
}

function listNames(): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(WEBHOOK_SENDERS.map(({ name }) => name));
}

function createExamples(): readonly RouteExample[] {
  const sent = WEBHOOK_SENDERS.flatMap(({ name, webhooks }) =>
    webhooks.examples.map(({ summary, event, json, meaning }): RouteExample => {
      const call = { summary: `${name} ${summary}`, ...createCall(webhooks, event, json) };
      if (meaning === 'ping') return { ...call, status: 200, answer: { success: true, message: '', ping: 'pong' } };
      return { ...call, status: 201, answer: acceptedExample('main'), varies: VARYING_BUILD };
    }),
  );
  const { webhooks } = WEBHOOK_SENDERS[0]!;
  const { event, json } = webhooks.examples[0]!;
  return [
    ...sent,
    {
      summary: 'An event that builds nothing',
      ...createCall(webhooks, 'star', { action: 'created' }),
      status: 200,
      answer: { success: true, message: 'ignored: event "star" builds nothing' },
    },
    {
      summary: 'Without a signature',
      path: '/docbuild/guide/webhook',
      headers: { [webhooks.eventHeaders[0]!]: event },
      json,
      status: 403,
    },
    { summary: 'From an unknown service', path: '/docbuild/webhook/guide', json, status: 400 },
    { summary: 'No such project', path: '/docbuild/webhook/nothing', json, status: 404, answer: UNKNOWN_PROJECT },
  ];
}

function createCall(
  webhooks: WebhookProtocol,
  event: string,
  json: object,
): Pick<RouteExample, 'path' | 'headers' | 'json'> {
  const headers = webhooks.sign(event, JSON.stringify(json), EXAMPLE.secret);
  return { path: '/docbuild/webhook/guide', headers, json };
}
