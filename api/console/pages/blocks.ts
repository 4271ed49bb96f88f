import { DataError } from '../../../data/data-error.ts';
import type { Block } from '../../../data/records/block.ts';
import { phrase } from '../../../lib/phrase.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/blocks';
const SHOWN = 50;
const MINUTE_MS = 60_000;
const MAX_MINUTES = 10 * 366 * 24 * 60;

/** Blocked sources and hosts, for operators. */
export function blockPages({ now, callers }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'blocks.njk',
    async model({ ctx, operations, query }) {
      const target = query.get('after');
      const after = target ? { kind: readKind(query.get('kind')), target } : undefined;
      const found = await operations.listBlocks(after ? { after } : {});
      const blocks = found.slice(0, SHOWN);
      const last = blocks.at(-1);
      return {
        blocks,
        isFirst: after === undefined,
        nextPath:
          last && found.length > SHOWN ? `${PATH}?kind=${last.kind}&after=${encodeURIComponent(last.target)}` : '',
        ownAddress: callers.addressOf(ctx),
      };
    },
  };
  return {
    pages: [page],
    actions: [
      {
        path: PATH,
        page,
        async run({ operations, form }) {
          await operations.addBlock({
            kind: readKind(form.get('kind')),
            target: form.get('target') ?? '',
            reason: form.get('reason') ?? '',
            until: readEnd(form, now()),
          });
          return { path: PATH, flash: 'blocked' };
        },
      },
      {
        path: `${PATH}/remove`,
        page,
        async run({ operations, form }) {
          await operations.removeBlock({ kind: readKind(form.get('kind')), target: form.get('target') ?? '' });
          return { path: PATH, flash: 'unblocked' };
        },
      },
    ],
  };
}

function readKind(text: string | null | undefined): Block['kind'] {
  if (text === 'source' || text === 'host') return text;
  throw new DataError('invalid', phrase`A block needs a source or a host`);
}

/** Returns the end of a block from the minutes in the form; '' = never. */
function readEnd(form: ConsoleForm, now: Date): string | undefined {
  const text = form.get('minutes')?.trim() ?? '';
  if (text === '') return undefined;
  const minutes = Number(text);
  if (!/^\d{1,8}$/.test(text) || minutes < 1 || minutes > MAX_MINUTES) {
    throw new DataError('invalid', phrase`The duration must be a whole number of minutes from 1 to ${MAX_MINUTES}`);
  }
  return new Date(now.getTime() + minutes * MINUTE_MS).toISOString();
}
