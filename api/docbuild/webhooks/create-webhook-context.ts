import { createTurns } from '../../../builder/index.ts';
import { createDeliveryLog } from './delivery-log.ts';
import type { WebhookContext } from './webhook-context.ts';

/** Creates what webhooks work with, with a log and turns of its own. */
export function createWebhookContext(options: Omit<WebhookContext, 'log' | 'turns'>): WebhookContext {
  return { ...options, log: createDeliveryLog(options.store.deliveries, options.now), turns: createTurns() };
}
