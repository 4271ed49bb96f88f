import type { BuildLimits } from '../../builder/index.ts';
import type { Build, BuildCause } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import type { Records, Store } from '../../data/store.ts';
import type { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Phrase } from '../../lib/phrase.ts';
import type { Accounts } from '../accounts/users.ts';
import type { Audit } from '../audit/audit.ts';
import type { Blocks } from '../blocks/blocks.ts';
import type { BuildLogs } from '../builds/build-logs.ts';
import type { BuildProcesses } from '../builds/build-processes.ts';
import type { Polls } from '../builds/polls.ts';
import type { BuildQueue } from '../builds/queue/build-queue.ts';
import type { Schedules } from '../builds/schedules.ts';
import type { CodeHosts } from '../code-hosts/code-hosts.ts';
import type { Settings } from '../config/settings.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { Limits } from '../limits/limits.ts';
import type { NodeReport } from '../nodes/node-report.ts';
import type { Notifier } from '../notifications/notifier.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { RedirectCounter } from '../short-urls/redirect-counter.ts';
import type { SiteStorage } from '../sites/site-storage.ts';

export interface ReplayOutcome {
  readonly success: boolean;
  readonly message: string;
  readonly branch?: string;
  readonly build?: Pick<Build, 'id' | 'status'>;
}

export interface OperationsContext {
  readonly store: Store;
  readonly queue: BuildQueue;
  readonly schedules: Pick<Schedules, 'plan'>;
  readonly polls: Pick<Polls, 'plan'>;
  readonly rateLimits: Limits;
  readonly nodes: Pick<NodeReport, 'list'>;
  readonly diagnosis: Diagnosis;
  readonly logs: BuildLogs;
  readonly notifier: Pick<Notifier, 'sendTest'>;
  /** Tells those who are to know of changed sites; `purgeNow` the CDN, see `sendNow`. */
  readonly outboxes: Pick<Outbox, 'during'> & { readonly purgeNow: Outbox['sendNow'] };
  readonly accounts: Accounts;
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  readonly redirects: RedirectCounter;
  readonly audit: Audit;
  /** Published sites. */
  readonly sites: {
    read(project: string): Promise<{ readonly latestRef: string } | undefined>;
    forget(project: string): void;
  };
  readonly codeHosts: CodeHosts;
  readonly settings: Settings;
  readonly processes: Pick<BuildProcesses, 'inspect'>;
  /** Limits of builds. */
  readonly limits: () => BuildLimits;
  readonly siteStorage: Pick<SiteStorage, 'remove'>;
  /** Webhooks that are set up by themselves, where the GitHub App is. */
  readonly hooks: Readonly<Record<'add' | 'update' | 'remove', (project: Project) => Promise<unknown>>> | undefined;
  /** Throws DataError. */
  readonly replayDelivery: (input: {
    readonly project: string;
    readonly id: string;
    readonly cause: BuildCause;
  }) => Promise<ReplayOutcome>;
  readonly now: () => Date;
}

/** The services that one call of an operation works with. */
export interface OperationScope extends Omit<OperationsContext, 'store'> {
  /** Its changes are stored together with the entry of the audit log. */
  readonly store: Records;
  /** In whose name. */
  readonly by: string;
  readonly cause: BuildCause;
  readonly inspectionTurns: FairSemaphore;
}

/** The entry of an operation in the audit log. */
export type Recording<Input> =
  /** Nothing: it changes nothing. */
  | 'none'
  | {
      /** As the console lists it: `block an address`. */
      readonly title: Phrase;
      /**
       * Names what is changed; `details` never has secrets: of settings, only their names.
       * A method: whoever calls one of many passes on the input of the same name.
       */
      describe(input: Input): { readonly target?: string; readonly details?: string };
      /** It changes other things than its own records: the entry is written first. */
      readonly isFirst?: true;
    };

/** Something that an operator can do, on the command line and in the console. */
export interface Operation<Input, Output> {
  /** Throws DataError: `invalid`, `taken`, `not-found`. */
  readonly run: (input: Input, scope: OperationScope) => Promise<Output>;
  readonly recording: Recording<Input>;
}

/** Defines an operation; input and output can travel as JSON. */
export function operation<Input extends object, Output>(
  run: (input: Input, scope: OperationScope) => Promise<Output>,
  recording: Recording<NoInfer<Input>>,
): Operation<Input, Output> {
  return { run, recording };
}
