/** What stands before a package, a script or a program in the commands of package managers. */
const MANAGERS = {
  npm: { install: 'npm install', dev: '-D', run: 'npm run', x: 'npx' },
  yarn: { install: 'yarn add', dev: '-D', run: 'yarn', x: 'yarn dlx' },
  pnpm: { install: 'pnpm add', dev: '-D', run: 'pnpm', x: 'pnpm dlx' },
  bun: { install: 'bun add', dev: '-d', run: 'bun run', x: 'bunx' },
  deno: { install: 'deno add', dev: '--dev', run: 'deno task', x: 'deno run -A' },
} as const;

/** Components of Undocs, with the property that says what is installed or run. Source: https://undocs.pages.dev */
const COMPONENTS = {
  'pm-install': { kind: 'install', property: 'name' },
  'pm-run': { kind: 'run', property: 'script' },
  'pm-x': { kind: 'x', property: 'command' },
} as const;

/**
 * Returns the command that a component of Undocs stands for, for each package manager; undefined for other components, and where
 * it lacks what is installed or run.
 */
export function listPackageCommands(
  name: string,
  named: ReadonlyMap<string, string>,
): readonly (readonly [manager: string, command: string])[] | undefined {
  if (!Object.hasOwn(COMPONENTS, name)) return undefined;
  const { kind, property } = COMPONENTS[name as keyof typeof COMPONENTS];
  const wanted = named.get(property);
  if (!wanted) return undefined;
  return Object.entries(MANAGERS).map(([manager, commands]) => {
    const dev = kind === 'install' && named.get('dev') === 'true' ? [commands.dev] : [];
    const words = manager === 'deno' && kind !== 'run' ? nameForDeno(wanted, kind === 'install') : wanted;
    return [manager, [commands[kind], ...dev, words].join(' ')] as const;
  });
}

/** Deno does not look for packages at npm unless it is told: all that are installed, or the first word, which is run. */
function nameForDeno(words: string, isAll: boolean): string {
  const name = (word: string): string => (/^(?:npm|jsr):/.test(word) ? word : `npm:${word}`);
  return words
    .trim()
    .split(/\s+/)
    .map((word, at) => (isAll || at === 0 ? name(word) : word))
    .join(' ');
}
