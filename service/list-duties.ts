import type { Nodes } from '../data/nodes.ts';
import { KEPT_EXPIRED } from '../platform/accounts/sessions.ts';
import type { Polls } from '../platform/builds/polls.ts';
import { republishDamagedSites } from '../platform/builds/republish-damaged-sites.ts';
import type { Schedules } from '../platform/builds/schedules.ts';
import type { Duty } from '../platform/duties/duties.ts';
import type { Outbox } from '../platform/outbox/outbox.ts';
import type { Platform } from '../platform/platform.ts';

/** Several processes that begin at once do not all ask S3 at the same time of the day. */
const COLLECT_WITHIN_MS = 3_600_000;
const COLLECT_EVERY_MS = 21_600_000;
/** Crontabs and intervals name minutes. */
const SCHEDULES_EVERY_MS = 5_000;
/** A clock that was wrong by months must not stop schedules until the next start. */
const PLAN_EVERY_MS = 3_600_000;
const TIDY_AFTER_MS = 10_000;
const TIDY_EVERY_MS = 3_600_000;

/** Returns what one process does for all. */
export function listDuties(
  platform: Platform,
  {
    nodes,
    schedules,
    polls,
    outboxes,
    onWarning,
  }: {
    readonly nodes: Nodes | undefined;
    readonly schedules: Schedules;
    readonly polls: Polls;
    readonly outboxes: readonly Pick<Outbox, 'keepSending'>[];
    readonly onWarning: (message: string) => void;
  },
): readonly Duty[] {
  const { store, publishing, people, utilities, now } = platform;
  const { queue, siteStorage } = publishing;
  const { quotas, audit, blocks } = people;
  const { dailyImages } = utilities;
  const { collect } = siteStorage;
  const republish = async (signal: AbortSignal): Promise<void> => {
    const names = await republishDamagedSites({ store, queue, siteStorage, signal });
    if (names.length > 0) onWarning(`Damaged sites are being published again: ${names.slice(0, 100).join(', ')}`);
  };
  const tidy = async (): Promise<void> => {
    await store.sessions.prune(now().toISOString(), KEPT_EXPIRED);
    await blocks.prune();
    await quotas.tidy();
    await audit.prune();
    await nodes?.prune();
  };
  return [
    { firstMs: 0, run: republish },
    { firstMs: 0, run: dailyImages.keepFilled },
    ...outboxes.map(({ keepSending }) => ({ firstMs: 0, run: keepSending })),
    { firstMs: 0, everyMs: PLAN_EVERY_MS, run: schedules.planAll },
    { firstMs: 0, everyMs: SCHEDULES_EVERY_MS, run: schedules.runDue },
    { firstMs: 0, run: polls.planAll },
    { firstMs: SCHEDULES_EVERY_MS, everyMs: SCHEDULES_EVERY_MS, run: polls.runDue },
    { firstMs: TIDY_AFTER_MS, everyMs: TIDY_EVERY_MS, run: tidy },
    ...(collect ? [{ firstMs: COLLECT_WITHIN_MS * Math.random(), everyMs: COLLECT_EVERY_MS, run: collect }] : []),
  ];
}
