import type { Build } from '../records/build.ts';

/**
 * Selects the ended builds of a project that may go, from all of them, oldest first: what is older than the newest `keep`,
 * but the builds that say how a ref stands. These are the newest of each published ref, and of all refs, that passed or
 * failed; of refs that are not published and were not removed since, at most `keep`, since anybody may ask for such.
 */
export function selectOldBuilds(
  ended: readonly Build[],
  { keep, published }: { readonly keep: number; readonly published: readonly string[] },
): readonly Build[] {
  const existing = new Set(published);
  if (published.length > 0) existing.add('');
  const seen = new Set<string>();
  let others = 0;
  const old: Build[] = [];
  for (const [age, build] of [...ended].reverse().entries()) {
    const saysHowItStands = saysHow(build) && !seen.has(build.ref);
    if (saysHow(build) || isRemoval(build)) seen.add(build.ref);
    if (age < keep) continue;
    if (!saysHowItStands) old.push(build);
    else if (!existing.has(build.ref) && ++others > keep) old.push(build);
  }
  return old.reverse();
}

function saysHow({ kind, status }: Build): boolean {
  return kind === 'build' && (status === 'passing' || status === 'failing');
}

function isRemoval({ kind, status }: Build): boolean {
  return kind === 'remove' && status === 'passing';
}
