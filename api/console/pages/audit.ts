import { AUDITED_ACTIONS } from '../../../platform/operations/audited-operations.ts';
import type { ConsolePage, ConsolePart } from '../console-page.ts';

const PATH = '/control/audit';
const SHOWN = 50;
/** What other places than operations record. */
const OTHER_ACTIONS = [
  'checkPassword',
  'deleteKey',
  'disableKey',
  'disableKeys',
  'enableKey',
  'logIn',
  'reloadConfiguration',
];
const ACTIONS = [...new Set([...AUDITED_ACTIONS, ...OTHER_ACTIONS])].sort();

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
        ...{ search, entries, actions: ACTIONS, isFirst: before === undefined, firstPath: addressOf({}) },
        nextPath: found.length > SHOWN ? addressOf({ before: entries.at(-1)!.id }) : '',
      };
    },
  };
  return { pages: [page], actions: [] };
}
