import { BuildError } from '../build-error.ts';
import type { Ref } from '../model.ts';
import { markOptions } from '../option-marks.ts';
import { createRefMatcher, isGlob, parseRefList } from './match-ref.ts';

/**
 * Returns the refs that `include` names (all if undefined) and `exclude` does not; a name that is both a branch and a
 * tag means the branch. Throws `no-such-ref` when an exact name in `include` does not exist, `no-refs` when nothing is
 * left.
 */
export function selectRefs(
  refs: readonly Ref[],
  options: { readonly include?: string | undefined; readonly exclude?: string | undefined },
): readonly Ref[] {
  const included = options.include === undefined ? () => true : createRefMatcher(options.include);
  const excluded = createRefMatcher(options.exclude ?? '');
  const names = new Set(refs.map((ref) => ref.name));
  for (const entry of parseRefList(options.include ?? '')) {
    if (!isGlob(entry) && !names.has(entry)) {
      throw new BuildError('no-such-ref', `Ref "${entry}" does not exist; the repository has ${listSome([...names])}`);
    }
  }
  const chosen = new Map<string, Ref>();
  for (const ref of refs) {
    if (!included(ref.name) || excluded(ref.name)) continue;
    const known = chosen.get(ref.name);
    if (known === undefined || (known.kind === 'tag' && ref.kind !== 'tag')) chosen.set(ref.name, ref);
  }
  if (chosen.size === 0) {
    throw new BuildError(
      'no-refs',
      names.size === 0
        ? 'The repository has no branches or tags'
        : `No ref is left to build: change ${markOptions('refs', 'exclude')}; the repository has ${listSome([...names])}`,
    );
  }
  return [...chosen.values()];
}

function listSome(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => `"${name}"`);
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '');
}
