import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { DeliveryAction } from '../../../data/records/delivery.ts';
import type { Project } from '../../../data/records/project.ts';
import { quoteName } from '../../../lib/quote-name.ts';
import { ApiError } from '../../http/errors.ts';
import { findKnownBuild } from './find-known-build.ts';
import { findSender } from './find-sender.ts';
import { readWebhook, type WebhookReading } from './read-webhook.ts';
import {
  answerBuild,
  answerExcluded,
  answerIgnored,
  answerPing,
  answerRemoval,
  type WebhookAnswer,
} from './webhook-answer.ts';
import type { WebhookContext } from './webhook-context.ts';

/** A webhook call to a project. */
export interface WebhookCall {
  readonly project: Project;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body as it came, which the signature is made over. */
  readonly rawBody: Uint8Array;
}

/**
 * Handles a webhook call: reads it, asks for what it means, and records it. Whatever was asked for is on disk before
 * the answer is given. A call that could not be handled is not recorded, so that it may be sent again. Throws ApiError
 * 403 and 400 (see `readWebhook`), 404 for a project that was removed meanwhile.
 */
export async function handleWebhook(call: WebhookCall, context: WebhookContext): Promise<WebhookAnswer> {
  const reading = await readOrRefuse(call, context);
  return context.serial.run(call.project.name, async () => {
    const project = await context.store.projects.find(call.project.name);
    if (!project) throw new ApiError(404, 'not-found', `Project ${quoteName(call.project.name)} does not exist`);
    const earlier = await findEarlierAnswer(project, reading, context);
    if (earlier) return earlier;
    const { answer, build } = await act(project, reading, context);
    await context.log.record({
      project: project.name,
      id: reading.deliveryId === '' ? randomUUID() : reading.deliveryId,
      service: reading.service,
      event: quoteName(reading.event).slice(1, -1),
      receivedAt: context.now().toISOString(),
      status: answer.status,
      answer: describe(answer),
      build,
      action: toAction(reading),
    });
    return answer;
  });
}

async function readOrRefuse(call: WebhookCall, context: WebhookContext): Promise<WebhookReading> {
  const { project, headers, rawBody } = call;
  try {
    return readWebhook({ headers, rawBody, secret: project.secret, nowMs: context.now().getTime() });
  } catch (error) {
    if (error instanceof ApiError) await context.log.recordRefusal(project.name, findSender(headers), error);
    throw error;
  }
}

/** A delivery that led to a build is answered as before; one that did not may find other settings now. */
async function findEarlierAnswer(
  project: Project,
  reading: WebhookReading,
  { store }: WebhookContext,
): Promise<WebhookAnswer | undefined> {
  const { deliveryId } = reading;
  if (deliveryId === '') return undefined;
  const earlier = await store.deliveries.find(project.name, deliveryId);
  if (!earlier || earlier.build === '' || earlier.action === undefined) return undefined;
  const build = await store.builds.find(earlier.build);
  if (earlier.action.kind === 'build' && build) return answerBuild(earlier.action.ref, build);
  if (reading.kind === 'remove') return answerRemoval(reading, true);
  return answerIgnored(`delivery "${deliveryId}" was handled before`);
}

async function act(
  project: Project,
  reading: WebhookReading,
  { store, queue, isExcluded }: WebhookContext,
): Promise<{ readonly answer: WebhookAnswer /** Id, or ''. */; readonly build: string }> {
  if (reading.kind === 'ping') return { answer: answerPing(), build: '' };
  if (reading.kind === 'ignored') return { answer: answerIgnored(reading.why), build: '' };
  const { ref, refKind } = reading;
  if (reading.kind === 'remove') {
    if (!reading.verified) {
      const why = 'was deleted, but the call is not verified, since the project has no secret; its version stays';
      return { answer: answerIgnored(`${refKind} ${quoteName(ref)} ${why}`), build: '' };
    }
    const build = await queue.removeVersion(project.name, ref);
    return { answer: answerRemoval(reading, build !== undefined), build: build?.id ?? '' };
  }
  if (isExcluded(project, ref)) return { answer: answerExcluded(ref), build: '' };
  const wanted = { project: project.name, ref, commit: reading.commit };
  const build = (await findKnownBuild(store, wanted)) ?? (await queue.request({ ...wanted, cause: 'webhook' }));
  return { answer: answerBuild(ref, build), build: build.id };
}

function toAction(reading: WebhookReading): DeliveryAction | undefined {
  if (reading.kind === 'build') return { kind: 'build', ref: reading.ref, commit: reading.commit };
  return reading.kind === 'remove' ? { kind: 'remove', ref: reading.ref } : undefined;
}

function describe({ body }: WebhookAnswer): string {
  if (body.build) return `build of ${quoteName(body.branch ?? '')}`;
  return body.ping ?? body.message;
}
