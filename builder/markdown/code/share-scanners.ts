import type { RegexEngine } from 'shiki/core';

type Scanner = ReturnType<RegexEngine['createScanner']>;

/** Scanners that nobody uses any more are kept up to this number of scanners. */
const maxScanners = 3_000;

/**
 * Gives a regex engine that compiles a list of patterns once. Grammars repeat themselves and each other (JavaScript's
 * and TypeScript's rules are mostly the same), and compiling is most of what the first blocks of a language cost.
 */
export function shareScanners(engine: RegexEngine): RegexEngine {
  const shared = new Map<string, { readonly scanner: Scanner; users: number }>();
  return {
    createString: (text) => engine.createString(text),
    createScanner(patterns) {
      const key = patterns.join('\0');
      let entry = shared.get(key);
      if (entry === undefined) {
        entry = { scanner: engine.createScanner(patterns), users: 0 };
        shared.set(key, entry);
      }
      const { scanner } = entry;
      entry.users++;
      return {
        findNextMatchSync: (text, position, options) => scanner.findNextMatchSync(text, position, options),
        dispose() {
          entry.users--;
          if (entry.users > 0 || shared.size <= maxScanners) return;
          shared.delete(key);
          scanner.dispose?.();
        },
      };
    },
  };
}
