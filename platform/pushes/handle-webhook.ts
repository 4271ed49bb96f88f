import { randomUUID } from 'node:crypto';
import type { Build, BuildCause } from '../../data/records/build.ts';
import type { DeliveryAction, NewDelivery } from '../../data/records/delivery.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { type PushedRef, type WebhookCall, WebhookError } from '../code-hosts/code-host.ts';
import { findSender, isProvedByHead, readWebhook, type WebhookReading } from '../code-hosts/read-webhook.ts';
import { ServiceError, toServiceError } from '../failures/service-error.ts';
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts';
import type { SecretGuesses } from './secret-guesses.ts';

/** The part of the build queue that webhooks use. */
export interface BuildRequester {
  request(request: {
    readonly project: string;
    readonly ref: string;
    readonly commit: string;
    readonly cause: BuildCause;
    readonly delivery?: NewDelivery;
  }): Promise<Build>;
  /** Takes a version whose ref is gone out of the site; returns undefined when it is not published. */
  removeVersion(project: string, ref: string, delivery?: NewDelivery): Promise<Build | undefined>;
}

/** State of webhooks; one for each server. */
export interface WebhookContext {
  readonly store: Pick<Store, 'projects' | 'deliveries'>;
  readonly queue: BuildRequester;
  readonly guesses: SecretGuesses;
  /** Returns whether the project's `excluded_branch` names a ref. */
  readonly isExcluded: (project: Project, ref: string) => boolean;
  readonly log: DeliveryLog;
  readonly now: () => Date;
}

/** Completes what webhooks work with by a log of their own. */
export function createWebhookContext(options: Omit<WebhookContext, 'log'>): WebhookContext {
  return { ...options, log: createDeliveryLog(options.store.deliveries, options.now) };
}

/** A webhook call, for whom it is and where it comes from. */
export interface ReceivedCall extends WebhookCall {
  readonly project: Project;
  /** See `Callers.sourceOf`. */
  readonly source: string;
}

export interface WebhookAnswer {
  readonly status: 200 | 201;
  readonly body: {
    readonly success: boolean;
    readonly message: string;
    readonly ping?: 'pong';
    readonly branch?: string;
    readonly build?: Pick<Build, 'id' | 'status'>;
  };
}

/**
 * Looks at a webhook call before its body is received, and records a refusal; returns whether its headers prove who sends it. Throws
 * ServiceError 403 and 400, see `isProvedByHead`.
 */
export function checkWebhookHead(call: Omit<ReceivedCall, 'rawBody'>, context: WebhookContext): Promise<boolean> {
  const { project, headers } = call;
  const check = () => isProvedByHead({ headers, secret: project.secret, nowMs: context.now().getTime() });
  return recordRefusals(call, context, check);
}

/**
 * Handles a webhook call: reads it, asks for what it means, and records it. Whatever was asked for is on disk before
 * the answer is given. A call that is sent again is answered with the build that it led to, unless its ref is excluded by
 * now; one that could not be handled is not recorded. Throws ServiceError 403 and 400 (see `readWebhook`), 429 (see
 * `SecretGuesses`), 404 for a project that was removed meanwhile.
 */
export async function handleWebhook(call: ReceivedCall, context: WebhookContext): Promise<WebhookAnswer> {
  const reading = await readOrRefuse(call, context);
  const { store, queue, isExcluded, log, now } = context;
  const project = await store.projects.find(call.project.name);
  if (!project) throw new ServiceError('not-found', phrase`Project ${quoteName(call.project.name)} does not exist`);
  const { name } = project;
  const toDelivery = (status: number, answer: string): NewDelivery => ({
    project: name,
    id: reading.deliveryId === '' ? randomUUID() : reading.deliveryId,
    service: reading.service,
    event: quoteName(reading.event).slice(1, -1),
    receivedAt: now().toISOString(),
    status,
    answer,
    action: toAction(reading),
  });
  const buildNothing = async (answer: WebhookAnswer): Promise<WebhookAnswer> => {
    await log.record(toDelivery(answer.status, answer.body.ping ?? answer.body.message));
    return answer;
  };
  if (reading.kind === 'ping') return buildNothing(answerPing());
  if (reading.kind === 'ignored') return buildNothing(answerIgnored(reading.why));
  const { ref } = reading;
  if (reading.kind === 'remove') {
    if (!reading.verified) return buildNothing(answerUnverified(reading));
    const answer = answerRemoval(reading, true);
    const build = await queue.removeVersion(name, ref, toDelivery(answer.status, answer.body.message));
    if (!build) return buildNothing(answerRemoval(reading, false));
    await log.noteRecorded(name);
    return answer;
  }
  if (isExcluded(project, ref)) return buildNothing(answerExcluded(ref));
  const delivery = toDelivery(201, `build of ${quoteName(ref)}`);
  const build = await queue.request({ project: name, ref, commit: reading.commit, cause: 'webhook', delivery });
  await log.noteRecorded(name);
  return answerBuild(ref, build);
}

function readOrRefuse(call: ReceivedCall, context: WebhookContext): Promise<WebhookReading> {
  const { project, source, headers, rawBody } = call;
  const onVerified = (): void => void context.guesses.accept(project, { source, proof: 'right' });
  const nowMs = context.now().getTime();
  const read = () => readWebhook({ headers, rawBody, secret: project.secret, nowMs, onVerified });
  return recordRefusals(call, context, read);
}

/** Returns what a look at a call returns; records a call that it refuses, and throws ServiceError. */
async function recordRefusals<T>(
  { project, source, headers }: Omit<ReceivedCall, 'rawBody'>,
  { guesses, log }: WebhookContext,
  look: () => T,
): Promise<T> {
  const refuse = async (refusal: ServiceError): Promise<never> => {
    await log.recordRefusal(project.name, findSender(headers), refusal);
    throw refusal;
  };
  try {
    return look();
  } catch (error) {
    if (error instanceof ServiceError) return refuse(error);
    if (!(error instanceof WebhookError)) throw error;
    try {
      if (error.code === 'wrong-signature') guesses.accept(project, { source, proof: 'wrong' });
    } catch (limited) {
      return refuse(toServiceError(limited));
    }
    return refuse(toServiceError(error));
  }
}

function toAction(reading: WebhookReading): DeliveryAction | undefined {
  if (reading.kind === 'build') return { kind: 'build', ref: reading.ref, commit: reading.commit };
  return reading.kind === 'remove' ? { kind: 'remove', ref: reading.ref } : undefined;
}

/** Answers that a build is on its way, or was. */
export function answerBuild(branch: string, { id, status }: Build): WebhookAnswer {
  return { status: 201, body: { success: true, message: '', branch, build: { id, status } } };
}

/** Answers that the ref is excluded from building. */
export function answerExcluded(branch: string): WebhookAnswer {
  return { status: 200, body: { success: false, message: 'excluded branch', branch } };
}

/** Answers that nothing is built, and why. */
function answerIgnored(why: string): WebhookAnswer {
  return { status: 200, body: { success: true, message: `ignored: ${why}` } };
}

/** Answers a removal for which anybody may have asked. */
function answerUnverified({ ref, refKind }: PushedRef): WebhookAnswer {
  const why = 'was deleted, but the call is not verified, since the project has no secret; its version stays';
  return answerIgnored(`${refKind} ${quoteName(ref)} ${why}`);
}

/** Answers a ping. */
function answerPing(): WebhookAnswer {
  return { status: 200, body: { success: true, message: '', ping: 'pong' } };
}

/** Answers that a ref is gone; its version goes with it where it has one. */
function answerRemoval({ ref, refKind }: PushedRef, hasVersion: boolean): WebhookAnswer {
  const then = hasVersion ? 'its version is being removed from the site' : 'it has no version';
  return { status: 200, body: { success: true, message: `${refKind} ${quoteName(ref)} was deleted; ${then}` } };
}
