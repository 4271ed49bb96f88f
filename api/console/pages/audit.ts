import type { AuditEntry } from '../../../data/records/audit-entry.ts';
import { type Phrase, phrase } from '../../../lib/phrase.ts';
import type { Operation } from '../../../platform/operations/operation.ts';
import { OPERATIONS } from '../../../platform/operations/operations.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/audit';
const SHOWN = 50;
/** Entries that are recorded elsewhere than by operations. */
const OTHER_ACTIONS: Readonly<Record<string, Phrase>> = {
  checkPassword: phrase`give the password again`,
  deleteKey: phrase`delete a key`,
  disableKey: phrase`disable a key`,
  disableKeys: phrase`disable all keys`,
  enableKey: phrase`enable a key`,
  logIn: phrase`log in`,
  reloadConfiguration: phrase`read the configuration again`,
};
const TITLES = Object.entries<Operation<never, unknown>>(OPERATIONS).flatMap(([name, { recording }]) =>
  recording === 'none' ? [] : [[name, recording.title] as const],
);
/** All actions of the log, by name. */
const ACTIONS: Readonly<Record<string, Phrase>> = Object.fromEntries(
  [...TITLES, ...Object.entries(OTHER_ACTIONS)].sort(([one], [other]) => (one < other ? -1 : 1)),
);
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
      const asked = { actor: who || undefined, action: action || undefined, target: target || undefined };
      const found = await operations.listAudit({ ...asked, before, limit: SHOWN + 1 });
      const entries = found.slice(0, SHOWN);
      const addressOf = (page: Record<string, string>): string => {
        const filled = Object.entries({ ...search, ...page }).filter(([, text]) => text !== '');
        return `${PATH}?${new URLSearchParams(filled)}`;
      };
      return {
        search,
        entries: entries.map(describe),
        actions: ACTIONS,
        isFirst: before === undefined,
        firstPath: addressOf({}),
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
