import { createKeyedQueue } from '../../../lib/keyed-queue.ts';
import { createDeliveryLog } from './delivery-log.ts';
import type { WebhookContext } from './webhook-context.ts';

/** Completes what webhooks work with by a log and a queue of their own. */
export function createWebhookContext(options: Omit<WebhookContext, 'log' | 'serial'>): WebhookContext {
  return { ...options, log: createDeliveryLog(options.store.deliveries, options.now), serial: createKeyedQueue() };
}
