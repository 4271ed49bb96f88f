import { createHash } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import { phrase } from '../../lib/phrase.ts';
import { generatePassword } from '../../platform/accounts/passwords.ts';
import { excludedRefs } from '../../platform/builds/excluded-refs.ts';
import type { ReportedRef } from '../../platform/operations/inspections.ts';
import type { PresentedProject } from '../../platform/projects/present-project.ts';
import { createNotifySecret, type ProjectSettings } from '../../platform/projects/project-settings.ts';
import type { ConsoleForm } from './forms.ts';

/** Refs with a box of their own; a form may have 100 fields. */
const MAX_BOXES = 50;
/** Prefix of the names of boxes. */
const BOX = 'exclude.';
/** Entries of `meta` that have fields of their own. */
const KNOWN_META: ReadonlySet<string> = new Set(['excluded_branch', '_sep']);

/** A branch or a tag with a box that excludes it. */
export interface RefBox extends Pick<ReportedRef, 'name'> {
  readonly isTag: boolean;
  readonly field: string;
  readonly isExcludedByFile: boolean;
}

/** Returns boxes for the first of `count` refs that are versions, and how many have none. A list of excluded refs cannot hold a name with `|`. */
export function listRefBoxes(
  refs: readonly (Pick<ReportedRef, 'name'> & Partial<ReportedRef>)[],
  count = refs.length,
): {
  readonly boxes: readonly RefBox[];
  readonly hidden: number;
} {
  const versions = refs.filter(({ excludedBy }) => excludedBy !== 'name');
  const boxes = versions
    .filter(({ name }) => !name.includes('|'))
    .slice(0, MAX_BOXES)
    .map(({ name, kind, excludedBy }) => ({
      name,
      isTag: kind === 'tag',
      field: BOX + name,
      isExcludedByFile: excludedBy === 'project-file',
    }));
  return { boxes, hidden: count - refs.length + versions.length - boxes.length };
}

/** Returns the boxes, and those checked in a form that was sent which are not among them: its refs need not be known any more. */
export function keepCheckedBoxes(boxes: readonly RefBox[], form: ConsoleForm | undefined): readonly RefBox[] {
  const others = listChecked(form ?? new Map()).filter((checked) => !boxes.some(({ name }) => name === checked));
  return [...boxes, ...listRefBoxes(others.map((name) => ({ name }))).boxes];
}

/** Returns what the fields of a form show of a project. */
export function presentFields(project: PresentedProject, boxes: readonly RefBox[]): Readonly<Record<string, string>> {
  const check = (isChecked: boolean): string => (isChecked ? '1' : '');
  const entries = excludedRefs(project).split('|').filter(Boolean);
  const named = boxes.filter(({ name }) => entries.includes(name));
  const others = entries.filter((entry) => !named.some(({ name }) => name === entry));
  const meta = Object.entries(project.meta).filter(([name]) => !KNOWN_META.has(name));
  return {
    url: project.url,
    source: project.sourceDir,
    latest: project.latest,
    lang: project.lang.join(', '),
    domain: project.domain,
    before: project.before,
    after: project.after,
    notify: project.notify,
    schedule: project.schedule,
    poll: project.poll ?? '',
    timeout: project.timeout ? String(project.timeout) : '',
    single: check(project.single),
    show_nav: check(project.showNav),
    hide_git: check(project.hideGit),
    excluded: others.join(' | '),
    ...Object.fromEntries(named.map(({ field }) => [field, '1'])),
    meta: meta.map(([name, value]) => `${name}=${value}`).join('\n'),
    secret_kind: 'keep',
  };
}

/** Returns a hash of what the fields of a form show of a project. */
export function fingerprintFields(project: PresentedProject): string {
  const { hasSecret, hasNotifySecret } = project;
  const shown = JSON.stringify([presentFields(project, []), hasSecret, hasNotifySecret]);
  return createHash('sha256').update(shown).digest('base64url');
}

/** Secrets that were made for a form. */
export interface MadeSecrets {
  readonly secret?: string;
  readonly notifySecret?: string;
}

/** Settings that a form says, but for the repository. */
export interface ReadFields {
  readonly settings: Omit<Partial<ProjectSettings>, 'url' | 'sourceDir'>;
  /** Those of the secrets among them that nobody knows yet. */
  readonly made: MadeSecrets;
}

/** Reads a form; `before` is the project that it changes. Throws DataError `invalid`. */
export function readFields(form: ConsoleForm, before?: PresentedProject): ReadFields {
  const read = (field: string): string => form.get(field)?.trim() ?? '';
  const isChecked = (field: string): boolean => form.get(field) === '1';
  const timeout = read('timeout');
  const kind = form.get('secret_kind') ?? (before ? 'keep' : 'generate');
  const secret = readSecret(kind, form);
  const wantsNotifySecret = isChecked('new_notify_secret') || (read('notify') !== '' && !before?.hasNotifySecret);
  const made: MadeSecrets = {
    ...(kind === 'generate' && { secret: generatePassword() }),
    ...(wantsNotifySecret && { notifySecret: createNotifySecret() }),
  };
  return {
    settings: {
      latest: read('latest'),
      domain: read('domain'),
      before: read('before'),
      after: read('after'),
      schedule: read('schedule'),
      poll: read('poll'),
      notify: read('notify'),
      single: isChecked('single'),
      showNav: isChecked('show_nav'),
      hideGit: isChecked('hide_git'),
      lang: read('lang')
        .split(/[\s,]+/)
        .filter(Boolean),
      timeout: timeout === '' ? 0 : Number(timeout),
      meta: readMeta(form, before),
      ...(secret !== undefined && { secret }),
      ...made,
    },
    made,
  };
}

/** Returns the secret that was written, '' for none; undefined where it is kept or made. */
function readSecret(kind: string, form: ConsoleForm): string | undefined {
  if (kind === 'none') return '';
  if (kind !== 'own') return undefined;
  const secret = form.get('secret')?.trim() ?? '';
  if (secret === '') throw new DataError('invalid', phrase`Enter the secret, or let the server generate one`);
  return secret;
}

/** Returns the entries of `meta`; an empty value removes one that the project had. */
function readMeta(form: ConsoleForm, before: PresentedProject | undefined): Readonly<Record<string, string>> {
  const meta = new Map(Object.keys(before?.meta ?? {}).map((name) => [name, '']));
  for (const line of (form.get('meta') ?? '').split('\n').map((text) => text.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(0, at)).trim();
    if (name === '' || name === '__proto__') {
      throw new DataError(
        'invalid',
        phrase`Write meta fields as "name=value", one per line, not "${line.slice(0, 100)}"`,
      );
    }
    if (KNOWN_META.has(name)) {
      throw new DataError('invalid', phrase`Meta field "${name}" is set by the excluded branches and tags`);
    }
    meta.set(name, line.slice(at + 1).trim());
  }
  const excluded = readExcluded(form);
  // An unchanged list keeps its separator.
  if (before && excluded === excludedRefs(before)) for (const name of KNOWN_META) meta.delete(name);
  else if (excluded !== '') meta.set('excluded_branch', excluded);
  if (before === undefined) for (const [name, value] of meta) if (value === '') meta.delete(name);
  return Object.fromEntries(meta);
}

function readExcluded(form: ConsoleForm): string {
  const written = (form.get('excluded') ?? '').split('|').map((entry) => entry.trim());
  return [...new Set([...listChecked(form), ...written])].filter(Boolean).join('|');
}

/** Returns the refs whose boxes are checked in a form. */
function listChecked(form: ConsoleForm): readonly string[] {
  const fields = [...form.keys()].filter((field) => field.startsWith(BOX) && form.get(field) === '1');
  return fields.map((field) => field.slice(BOX.length));
}
