import type { AuditQuery } from '../../data/records/audit-entry.ts';
import type { Records } from '../../data/store.ts';
import { type Actor, nameActor } from '../audit/audit.ts';
import { buildOperations } from './builds.ts';
import { diagnosisOperations } from './diagnosis.ts';
import { imageOperations } from './images.ts';
import { createInspectionTurns, inspectionOperations } from './inspections.ts';
import { limitOperations } from './limits.ts';
import { nodeOperations } from './nodes.ts';
import { type Operation, type OperationScope, type OperationsContext, operation } from './operation.ts';
import { projectOperations } from './projects.ts';
import { quotaOperations } from './quotas.ts';
import { shortUrlOperations } from './short-urls.ts';
import { userOperations } from './users.ts';

/** Entries that are listed at once. */
const MAX_LISTED = 1000;

/** All that an operator can do. */
export const OPERATIONS = {
  ...projectOperations,
  ...buildOperations,
  ...inspectionOperations,
  ...userOperations,
  ...quotaOperations,
  ...shortUrlOperations,
  ...imageOperations,
  ...limitOperations,
  ...nodeOperations,
  ...diagnosisOperations,
  /** Returns what operators have changed within 90 days, newest first, up to `limit` (1,000 at most); see `AuditQuery`. */
  listAudit: operation(
    ({ limit = MAX_LISTED, ...query }: Partial<AuditQuery>, { audit }) =>
      audit.list({ ...query, limit: Math.min(limit, MAX_LISTED) }),
    'none',
  ),
};

/** The operations as somebody calls them. */
export type Operations = {
  readonly [Name in keyof typeof OPERATIONS]: (typeof OPERATIONS)[Name] extends Operation<infer Input, infer Output>
    ? (input: Input) => Promise<Output>
    : never;
};

/** Returns the operations as somebody uses them: what they change is recorded in their name. */
export type OperationsFor = (actor: Actor) => Operations;

/** Creates the operations, each of which is recorded as its definition says. */
export function createOperations(context: OperationsContext): OperationsFor {
  const inspectionTurns = createInspectionTurns();
  return (actor) => {
    const by = nameActor(actor);
    const cause = actor.kind === 'user' ? 'console' : 'command';
    const bind = (store: Records): OperationScope => ({ ...context, store, by, cause, inspectionTurns });
    const own = bind(context.store);
    const audited = Object.entries<Operation<never, unknown>>(OPERATIONS).map(([action, { run, recording }]) => {
      if (recording === 'none') return [action, (input: never) => run(input, own)];
      const record = async (input: never): Promise<unknown> => {
        const event = { actor, action, ...recording.describe(input) };
        if (recording.isFirst) return context.audit.announce(event, () => run(input, own));
        return context.audit.record(event, (store) => run(input, bind(store)));
      };
      return [action, record];
    });
    return Object.fromEntries(audited) as Operations;
  };
}
