import { packagePrefix } from '../../lib/version-name.ts';
import type { Ref } from '../model.ts';

/** A rule of `slug` in the project file: refs whose names fit `pattern`, in which `*` is any text, are called `name`. */
export interface NameRule {
  readonly pattern: string;
  /** Its `*` are what those of the pattern stand for, in the same order. */
  readonly name: string;
}

/**
 * Returns what readers call each ref, by its name: as the first rule says that fits. Without one, tags of one package among those of
 * a monorepo (`pkg-a@1.2.3`, `pkg-a/v1.2`) are called by their versions alone where no other package's are built.
 */
export function nameVersions(refs: readonly Ref[], rules: readonly NameRule[]): ReadonlyMap<string, string> {
  const tests = rules.map(({ pattern, name }) => ({ match: createPattern(pattern), name }));
  const names = new Map<string, string>();
  for (const ref of refs) {
    for (const { match, name } of tests) {
      const parts = match(ref.name);
      if (!parts) continue;
      let at = 0;
      const named = name.replace(/\*/g, () => parts[at++] ?? '').trim();
      if (named !== '') names.set(ref.name, named);
      break;
    }
  }
  const unnamed = refs.filter(({ name }) => !names.has(name));
  const prefix = findCommonPrefix(unnamed);
  const taken = new Set([...names.values(), ...unnamed.map(({ name }) => name)]);
  for (const { name, kind } of unnamed) {
    const short = name.slice(prefix.length);
    const isShort = prefix !== '' && kind === 'tag' && packagePrefix(name) === prefix && !taken.has(short);
    names.set(name, isShort ? short : name);
  }
  return names;
}

/** Returns the prefix of all tags that are versions; '' where they have several, or that of no package. */
function findCommonPrefix(refs: readonly Ref[]): string {
  const prefixes = new Set(refs.flatMap(({ name, kind }) => (kind === 'tag' ? (packagePrefix(name) ?? []) : [])));
  return prefixes.size === 1 ? [...prefixes][0]! : '';
}

/** Returns a function that finds what the `*` of a pattern stand for in a name; the first ones are as short as can be. */
function createPattern(pattern: string): (name: string) => readonly string[] | undefined {
  const [first = '', ...others] = pattern.split(/\*+/);
  return (name) => {
    if (others.length === 0) return name === first ? [] : undefined;
    const last = others.at(-1)!;
    const end = name.length - last.length;
    if (!name.startsWith(first) || !name.endsWith(last) || end < first.length) return undefined;
    const parts: string[] = [];
    let from = first.length;
    for (const text of others.slice(0, -1)) {
      const at = name.indexOf(text, from);
      if (at < 0 || at + text.length > end) return undefined;
      parts.push(name.slice(from, at));
      from = at + text.length;
    }
    return [...parts, name.slice(from, end)];
  };
}
