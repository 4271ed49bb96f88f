import type { Project } from '../../data/records/project.ts';
import type { Records } from '../../data/store.ts';
import { type Actor, nameActor } from '../audit/audit.ts';
import { getProject } from '../projects/get-project.ts';
import { listChosen, parseChanges } from '../projects/project-settings.ts';
import { importProject } from '../projects/transfer-project.ts';
import { createInspectionOperations } from './inspections.ts';
import { createOperations, type Operations, type OperationsContext } from './operations.ts';

/** What the audit log says of an operation besides its name. */
interface Description {
  readonly target?: string;
  /** Never secrets: of settings, only their names. */
  readonly details?: string;
}

/** How an operation is recorded. */
type Recording<Input> =
  /** It changes nothing. */
  | 'none'
  | {
      // A method: whoever calls one of many passes on the input of the same name.
      describe(input: Input): Description;
      /** What it changes are not its own records: the entry is written first. */
      readonly isFirst?: true;
    };

/** All operations: the types miss what is added to `Operations` and not here. */
export const RECORDINGS: { readonly [Name in keyof Operations]: Recording<Parameters<Operations[Name]>[0]> } = {
  createProject: { describe: ({ name, settings }) => ({ target: name, details: listChosen(settings).join(', ') }) },
  getProject: 'none',
  listProjects: 'none',
  searchProjects: 'none',
  updateProject: {
    describe({ name, settings = {}, changes, separator }) {
      const text = changes === undefined ? undefined : parseChanges(changes, separator);
      const { meta, ...values } = settings;
      const metaNames = Object.keys({ ...text?.meta, ...meta }).map((key) => `meta:${key}`);
      return { target: name, details: [...listNames({ ...text?.settings, ...values }), ...metaNames].join(', ') };
    },
  },
  removeProject: { describe: ({ name }) => ({ target: name }) },
  exportProject: 'none',
  importProject: { describe: ({ text, name }) => ({ target: importProject(text, name, new Date(0)).name }) },
  build: {
    describe: ({ name, ref, all }) => ({ target: name, details: all ? 'all refs' : (ref ?? '') }),
    isFirst: true,
  },
  retryBuild: { describe: ({ id }) => ({ target: id }), isFirst: true },
  listBuilds: 'none',
  listDeliveries: 'none',
  listNotifications: 'none',
  sendTestNotification: { describe: ({ name }) => ({ target: name }), isFirst: true },
  purgeSite: { describe: ({ name }) => ({ target: name }), isFirst: true },
  replayDelivery: { describe: ({ name, id }) => ({ target: name, details: `delivery ${id}` }), isFirst: true },
  cancelBuild: { describe: ({ id }) => ({ target: id }), isFirst: true },
  waitForBuild: 'none',
  inspectRepository: 'none',
  readLog: 'none',
  readProblems: 'none',
  createUser: {
    describe: ({ account, isOperator }) => ({ target: account, details: isOperator ? 'operator' : '' }),
  },
  listUsers: 'none',
  disableUser: {
    describe: ({ uid, isDisabled, withShortUrls }) => ({
      target: uid,
      details: isDisabled ? (withShortUrls ? 'with short URLs' : '') : 'enabled again',
    }),
  },
  verifyUser: { describe: ({ uid, isVerified }) => ({ target: uid, details: isVerified ? '' : 'mark removed' }) },
  changePassword: { describe: ({ uid }) => ({ target: uid }) },
  createKey: {
    describe: ({ uid, permission, name }) => ({ target: uid, details: [permission, name].join(' ').trim() }),
  },
  grantPlan: {
    describe: ({ uid, payment }) => ({
      target: uid,
      details: 'fen' in payment ? `${payment.fen} fen` : `monthly: ${payment.monthly}, months: ${payment.months}`,
    }),
  },
  reversePayment: { describe: ({ uid, seq }) => ({ target: uid, details: `payment ${seq}` }) },
  previewBooking: 'none',
  getPrices: 'none',
  getPlan: 'none',
  checkLedger: 'none',
  listBlocks: 'none',
  addBlock: { describe: ({ kind, target, until = '' }) => ({ target, details: `${kind} ${until}`.trim() }) },
  removeBlock: { describe: ({ kind, target }) => ({ target, details: kind }) },
  listShortUrls: 'none',
  disableShortUrl: { describe: ({ code }) => ({ target: code }) },
  enableShortUrl: { describe: ({ code }) => ({ target: code }) },
  countShortUrls: 'none',
  findShortUrl: 'none',
  disableShortUrls: {
    describe: ({ uid, host = '', isDisabled }) => ({
      target: uid ?? host,
      details: `all ${uid === undefined ? 'to this host' : 'of this user'}${isDisabled ? '' : ', enabled again'}`,
    }),
  },
  importImages: { describe: ({ isReplacing }) => ({ details: isReplacing ? 'replacing' : '' }) },
  listLimits: 'none',
  setLimits: { describe: ({ values }) => ({ details: Object.keys(values).join(', ') }), isFirst: true },
  listAudit: 'none',
};

function listNames(settings: object): readonly string[] {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(settings);
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Returns the operations as somebody uses them: what they change is recorded in their name. */
export type OperationsFor = (actor: Actor) => Operations;

/** Creates the operations, each of which is recorded as `RECORDINGS` says. */
export function createAuditedOperations(context: OperationsContext): OperationsFor {
  const getProjectNamed = (name: string): Promise<Project> => getProject(context.store, name);
  const inspections = createInspectionOperations({ ...context, getProject: getProjectNamed });
  return (actor) => {
    const by = nameActor(actor);
    const cause = actor.kind === 'user' ? 'console' : 'command';
    const bind = (store: Records): Operations => createOperations(context, { store, by, cause, inspections });
    const own = bind(context.store);
    const run = (operations: Operations, name: keyof Operations, input: unknown): Promise<unknown> =>
      (operations[name] as (input: unknown) => Promise<unknown>)(input);
    const audited = Object.entries<Recording<unknown>>(RECORDINGS).map(([key, recording]) => {
      const name = key as keyof Operations;
      if (recording === 'none') return [name, own[name]];
      const operation = async (input: unknown): Promise<unknown> => {
        const event = { actor, action: name, ...recording.describe(input) };
        if (recording.isFirst) return context.audit.announce(event, () => run(own, name, input));
        return context.audit.record(event, (store) => run(bind(store), name, input));
      };
      return [name, operation];
    });
    return Object.fromEntries(audited) as Operations;
  };
}
