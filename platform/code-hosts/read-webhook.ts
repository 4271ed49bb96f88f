import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import {
  type CodeHost,
  type Payload,
  type Shape,
  type WebhookCall,
  WebhookError,
  type WebhookMeaning,
  type WebhookProtocol,
} from './code-host.ts';
import { WEBHOOK_SENDERS } from './code-hosts.ts';
import { findFirstHeader, findHeader } from './webhook-headers.ts';
import { checkShape, parsePayload } from './webhook-payload.ts';

/** Who sent a webhook call, as its headers claim. */
export interface WebhookSender {
  /** Id of the code host. */
  readonly service: CodeHost['id'];
  /** Name of the event as the code host writes it: `push`, `Tag Push Hook`. */
  readonly event: string;
  /** The code host's id of this call; '' = none that can be used. */
  readonly deliveryId: string;
}

/** A webhook call's meaning and sender, and whether these are proved: false where the project has no secret. */
export type WebhookReading = WebhookMeaning & WebhookSender & { readonly verified: boolean };

/** Ids are UUIDs today; a dot is left to ids that are made here. */
const DELIVERY_ID = /^[\w-]{1,100}$/;
const MAX_EVENT = 100;

/** Returns the sender of a call, or undefined when no header names a code host that is known. */
export function findSender(headers: IncomingHttpHeaders): WebhookSender | undefined {
  for (const { id, webhooks } of WEBHOOK_SENDERS) {
    const event = findFirstHeader(headers, webhooks.eventHeaders);
    if (event === undefined || event.length > MAX_EVENT) continue;
    const deliveryId = findFirstHeader(headers, webhooks.deliveryHeaders) ?? '';
    return { service: id, event, deliveryId: DELIVERY_ID.test(deliveryId) ? deliveryId : '' };
  }
  return undefined;
}

/**
 * Reads a webhook call; `secret` '' = no verification. Throws WebhookError for a wrong or missing proof, for no known code
 * host, for what is not JSON or has not the documented shape, and what `onVerified` throws.
 */
export function readWebhook(
  call: WebhookCall & {
    readonly secret: string;
    readonly nowMs?: number;
    /** Called when the proof is right: what it throws is all that the sender learns. */
    readonly onVerified?: () => void;
  },
): WebhookReading {
  const { headers, rawBody, secret, nowMs = Date.now(), onVerified } = call;
  const sender = findSender(headers);
  if (!sender) throw new WebhookError('unknown-service', UNKNOWN_SENDER);
  const webhooks = findProtocol(sender);
  const verified = secret !== '';
  // Before anything is parsed: nobody else's bytes are worth the time.
  if (verified) {
    webhooks.verify(call, secret, nowMs);
    onVerified?.();
  }
  const payload = parsePayload(rawBody, findHeader(headers, 'Content-Type') ?? '', webhooks.fields);
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new WebhookError('wrong-shape', 'The payload is not a JSON object');
  }
  const json = payload as Record<string, unknown>;
  const take: Payload['take'] = (shape, event) => checkShape(createSchema(shape), json, event);
  return { ...sender, verified, ...webhooks.read(sender.event, { json, take }, headers) };
}

const NO_BODY = new Uint8Array();

/**
 * Looks at a call before its body has been received. Returns whether its headers alone prove that its sender knows the secret, as
 * tokens do; a signature is only a claim until then. Throws WebhookError for no known code host and for a call without any proof.
 */
export function isProvedByHead(call: {
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  readonly nowMs: number;
}): boolean {
  const { headers, secret, nowMs } = call;
  const sender = findSender(headers);
  if (!sender) throw new WebhookError('unknown-service', UNKNOWN_SENDER);
  if (secret === '') return false;
  try {
    findProtocol(sender).verify({ headers, rawBody: NO_BODY }, secret, nowMs);
    return true;
  } catch (error) {
    // Other faults may be due to the missing body.
    if (!(error instanceof WebhookError) || error.code === 'missing-signature') throw error;
    return false;
  }
}

const schemas = new WeakMap<Shape<z.ZodType>, z.ZodType>();

function createSchema<T extends z.ZodType>(shape: Shape<T>): T {
  const schema = (schemas.get(shape) as T | undefined) ?? shape(z);
  schemas.set(shape, schema);
  return schema;
}

function findProtocol({ service }: WebhookSender): WebhookProtocol {
  return WEBHOOK_SENDERS.find(({ id }) => id === service)!.webhooks;
}

const UNKNOWN_SENDER = `Unknown service: none of the headers ${WEBHOOK_SENDERS.map(
  ({ webhooks }) => `"${webhooks.eventHeaders[0]}"`,
).join(', ')} was sent`;
