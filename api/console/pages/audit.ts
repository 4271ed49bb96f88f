import type { AuditEntry } from '../../../data/records/audit-entry.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/audit';
const SHOWN = 50;
/** What is in the log: operations, and what other places record. */
export const ACTIONS: Readonly<Record<string, Phrase>> = {
  addBlock: phrase`add a block`,
  build: phrase`request a build`,
  setLimits: phrase`set limits`,
  retryBuild: phrase`retry a build`,
  cancelBuild: phrase`cancel a build`,
  changePassword: phrase`change a password`,
  checkPassword: phrase`give the password again`,
  createKey: phrase`create a key`,
  createProject: phrase`create a project`,
  createUser: phrase`create an account`,
  deleteKey: phrase`delete a key`,
  disableKey: phrase`disable a key`,
  disableKeys: phrase`disable all keys`,
  disableShortUrl: phrase`disable a short URL`,
  disableShortUrls: phrase`disable or enable short URLs`,
  disableUser: phrase`disable or enable an account`,
  enableKey: phrase`enable a key`,
  enableShortUrl: phrase`enable a short URL`,
  grantPlan: phrase`book a payment`,
  importImages: phrase`import images`,
  importProject: phrase`import a project`,
  logIn: phrase`log in`,
  purgeSite: phrase`tell the CDN to forget a site`,
  reloadConfiguration: phrase`read the configuration again`,
  removeBlock: phrase`remove a block`,
  removeProject: phrase`remove a project`,
  replayDelivery: phrase`replay a webhook call`,
  reversePayment: phrase`reverse a payment`,
  sendTestNotification: phrase`send a test notification`,
  updateProject: phrase`change a project`,
  verifyUser: phrase`verify an account`,
};
/** Details that are no names and values. */
const DETAILS: ReadonlyMap<string, Phrase> = new Map([
  ['all refs', phrase`all refs`],
  ['enabled again', phrase`enabled again`],
  ['mark removed', phrase`mark removed`],
  ['operator', phrase`operator`],
  ['replacing', phrase`replacing`],
  ['with short URLs', phrase`with short URLs`],
]);

/** Who changed what, for operators. */
export function auditPages(): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'audit.njk',
    async model({ operations, query }) {
      const read = (name: string): string => (query.get(name) ?? '').trim().slice(0, 300);
      const search = { who: read('who'), action: read('action'), target: read('target') };
      const before = query.get('before') || undefined;
      const { who, action, target } = search;
      const found = await operations.listAudit({
        ...(who !== '' && { actor: who }),
        ...(action !== '' && { action }),
        ...(target !== '' && { target }),
        ...(before !== undefined && { before }),
        limit: SHOWN + 1,
      });
      const entries = found.slice(0, SHOWN);
      const addressOf = (page: Record<string, string>): string => {
        const filled = Object.entries({ ...search, ...page }).filter(([, text]) => text !== '');
        return `${PATH}?${new URLSearchParams(filled)}`;
      };
      return {
        ...{
          search,
          entries: entries.map(describe),
          actions: ACTIONS,
          isFirst: before === undefined,
          firstPath: addressOf({}),
        },
        nextPath: found.length > SHOWN ? addressOf({ before: entries.at(-1)!.id }) : '',
      };
    },
  };
  return { pages: [page], actions: [] };
}

/** Returns an entry in words: a `Phrase` where a text is one of those that programs write. */
function describe(entry: AuditEntry): object {
  const { action, details } = entry;
  return {
    ...entry,
    action: Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : action,
    details: DETAILS.get(details) ?? details,
  };
}
