import { DataError } from '../../data/data-error.ts';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { createExclusion } from '../builds/excluded-refs.ts';
import { checkExcluded } from '../projects/check-project.ts';
import { type ProjectSettings, parseSettings } from '../projects/project-settings.ts';
import type { RepositoryReport } from './inspections.ts';

/** An error in what one field of a form says, at which the page shows it, too. */
export class FieldError extends DataError {
  readonly field: string;

  constructor(field: string, wording: string | Phrase) {
    super('invalid', wording);
    this.field = field;
  }
}

/** Settings of a project, those among them that decide which branches and tags are built. */
type RefSettings = Partial<ProjectSettings> & Pick<ProjectSettings, 'meta'>;

/**
 * Throws FieldError where a build with these settings is known to fail: the repository has no such latest version, or what is
 * excluded contains it, or all there is. Of a repository that has more refs than the report lists, less is known. Throws
 * DataError `invalid` for settings that are none.
 */
export function checkRefs(
  { refs, refCount }: Pick<RepositoryReport, 'refs' | 'refCount'>,
  settings: RefSettings,
): void {
  const { latest = '' } = parseSettings(settings);
  checkExcluded(settings);
  const isExcluded = createExclusion(settings);
  const isComplete = refs.length === refCount;
  const isBuilt = ({ name, excludedBy }: (typeof refs)[number]): boolean =>
    excludedBy !== 'project-file' && (excludedBy !== 'name' || name === latest) && !isExcluded(name);
  if (isComplete && !refs.some(isBuilt)) {
    throw new FieldError('excluded', phrase`All branches and tags of the repository are excluded; leave one to build`);
  }
  if (latest === '') return;
  const found = refs.find(({ name }) => name === latest);
  if (!found && isComplete) {
    throw new FieldError('latest', phrase`Latest version: the repository has no branch or tag "${latest}"`);
  }
  if (found ? !isBuilt(found) : isExcluded(latest)) {
    throw new FieldError('latest', phrase`Latest version: "${latest}" is excluded; choose another one, or build it`);
  }
}

/** Returns `checkRefs` of a report that is still to be made, unless the repository cannot be looked at. */
export async function checkRefsIfKnown(look: () => Promise<RepositoryReport>, settings: RefSettings): Promise<void> {
  let report: RepositoryReport;
  try {
    report = await look();
  } catch (error) {
    if (error instanceof DataError) return;
    throw error;
  }
  checkRefs(report, settings);
}
