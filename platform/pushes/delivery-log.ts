import type { DeliveryStore, NewDelivery } from '../../data/records/delivery.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { quoteName } from '../../lib/quote-name.ts';
import type { WebhookSender } from '../code-hosts/read-webhook.ts';
import type { ServiceError } from '../failures/service-error.ts';

/** Remembers webhook calls for the operator, so that no flood of them fills the disk or hides the others. */
export interface DeliveryLog {
  /** Records a call that led to no build. */
  record(delivery: NewDelivery): Promise<void>;
  /** Is told of a call to a project that was recorded with its build. */
  noteRecorded(project: string): Promise<void>;
  /** Records a call that was refused. */
  recordRefusal(project: string, sender: WebhookSender | undefined, error: ServiceError): Promise<void>;
}

/** Deliveries that are kept for each project. */
const KEPT = 200;
/** Deliveries between two prunings. */
const PRUNE_EVERY = 20;
/** Refusals of one kind are written at most this often. */
const REFUSAL_PAUSE_MS = 10_000;
/** Counts in memory; the one not needed for longest begins again. */
const MAX_COUNTS = 10_000;

/**
 * Creates the log. Anybody may send calls that are refused: those of one project and reason share one record, which
 * says how many there were since the server began and shows the last one, written once in 10 s at most.
 */
export function createDeliveryLog(deliveries: DeliveryStore, now: () => Date): DeliveryLog {
  const refusals = createBoundedMap<string, { readonly count: number; readonly writtenMs: number }>({
    maxEntries: MAX_COUNTS,
  });
  const added = new Map<string, number>();

  return {
    async record(delivery) {
      await deliveries.add({ ...delivery, build: '' });
      await noteRecorded(delivery.project);
    },
    noteRecorded,
    async recordRefusal(project, sender, error) {
      const id = `refused.${error.code}`;
      const time = now();
      const key = `${project} ${id}`;
      const { count, writtenMs } = refusals.get(key) ?? { count: 0, writtenMs: Number.NEGATIVE_INFINITY };
      const isDue = Math.abs(time.getTime() - writtenMs) >= REFUSAL_PAUSE_MS;
      refusals.set(key, { count: count + 1, writtenMs: isDue ? time.getTime() : writtenMs });
      if (!isDue) return;
      const calls = count === 0 ? '' : ` (${count + 1} such calls since the server began)`;
      const { service, event } = sender ?? { service: 'unknown', event: '' };
      await deliveries.add({
        project,
        id,
        service,
        status: error.status,
        build: '',
        action: undefined,
        event: quoteName(event).slice(1, -1),
        receivedAt: time.toISOString(),
        answer: `refused: ${error.message}${calls}`,
      });
    },
  };

  async function noteRecorded(project: string): Promise<void> {
    const count = (added.get(project) ?? 0) + 1;
    added.set(project, count % PRUNE_EVERY);
    if (count === PRUNE_EVERY) await deliveries.prune(project, KEPT, now().toISOString());
  }
}
