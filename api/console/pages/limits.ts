import { DataError } from '../../../data/data-error.ts';
import { phrase } from '../../../lib/phrase.ts';
import type { LimitReport } from '../../../platform/limits/limits.ts';
import type { ConsoleContext, ConsolePage, ConsolePart } from '../console-page.ts';
import type { ConsoleForm } from '../forms.ts';

const PATH = '/control/limits';
/** Prefix of the names of fields. */
const FIELD = 'limit.';

/** Limits of rates, who is refused by them, and how they are set, for operators. */
export function limitPages({ rateLimits: limits }: ConsoleContext): ConsolePart {
  const page: ConsolePage = {
    path: PATH,
    isForOperators: true,
    section: PATH,
    template: 'limits.njk',
    async model() {
      const all = limits.list().map((limit) => ({ ...limit, field: FIELD + limit.key }));
      const groups = [...new Set(all.map(({ group }) => String(group)))].map((name) => {
        const own = all.filter(({ group }) => String(group) === name);
        return { title: own[0]!.group, limits: own };
      });
      const met = all.filter(({ refused }) => refused && (refused.callers > 0 || refused.lastHour > 0));
      const initial = Object.fromEntries(
        all
          .filter(({ key }) => key !== '')
          .map(({ field, value }) => [field, value === undefined ? '' : String(value)]),
      );
      return { groups, met, isInFile: limits.isInFile, initial };
    },
  };
  return {
    pages: [page],
    actions: [
      {
        path: PATH,
        page,
        async run({ operations, form }) {
          const values = readChanges(form, limits.list());
          if (Object.keys(values).length === 0) return { path: PATH };
          const { waiting } = await operations.setLimits({ values });
          return { path: PATH, flash: waiting.length > 0 ? 'limits-set-waiting' : 'limits-set' };
        },
      },
    ],
  };
}

/** Returns the limits that a form changes, by their keys; null for those whose field is empty. Throws DataError `invalid`. */
function readChanges(form: ConsoleForm, limits: readonly LimitReport[]): Readonly<Record<string, number | null>> {
  const changes: Record<string, number | null> = {};
  for (const { key, value } of limits) {
    const text = form.get(FIELD + key)?.trim();
    if (key === '' || text === undefined || text === String(value ?? '')) continue;
    if (!/^\d{0,9}$/.test(text)) throw new DataError('invalid', phrase`Key "${key}" must be a whole number`);
    changes[key] = text === '' ? null : Number(text);
  }
  return changes;
}
