import type { Ref } from '../../../builder/model.ts';
import type { DatedRef } from '../../../builder/refs/sort-versions.ts';

/** Returns refs from names; those that begin with `tag:` are tags. */
export function createRefs(...names: readonly string[]): readonly Ref[] {
  return names.map((name) => ({
    name: name.replace(/^tag:/, ''),
    kind: name.startsWith('tag:') ? 'tag' : 'branch',
    oid: name,
  }));
}

/** Returns refs from names with times. */
export function createDatedRefs(times: Readonly<Record<string, number>>): readonly DatedRef[] {
  return createRefs(...Object.keys(times)).map((ref) => ({ ...ref, time: times[ref.oid]! }));
}
