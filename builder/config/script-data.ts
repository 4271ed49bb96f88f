import { type Module, type Place, parseScript, type ReadFile, type SyntaxNode } from './parse-script.ts';
import { ScriptValues } from './script-values.ts';

/** The literal data of scripts. Nothing is run. */
export interface ScriptData {
  /** Its path from the repository's root. */
  readonly file: string;
  /** Returns the script's exports; COMPUTED for parts that cannot be evaluated without running it. */
  exported(name?: string): unknown;
  /** Returns the first argument of each call of a function imported from a package. */
  argumentsOfCalls(packageName: string): readonly unknown[];
  /** Returns where an object, a list, an item of a list or the value of a key was written. */
  placeOf(value: object, key?: number | string): Place;
  /** Returns whether parts of an object or a list are computed. */
  isPartial(value: object): boolean;
}

/** Reads a script of JavaScript, TypeScript or JSON as data; undefined when it is missing or cannot be parsed. */
export async function readScript(path: string, readFile: ReadFile): Promise<ScriptData | undefined> {
  const main = await parseScript(path, readFile);
  return main && createScriptData(main);
}

function createScriptData(main: Module): ScriptData {
  const values = new ScriptValues();
  return {
    file: main.file,
    exported: (name = 'default') => values.unwrap(values.exportOf(main, name)),
    argumentsOfCalls(packageName) {
      const names = [...main.scope.names].flatMap(([name, binding]) =>
        binding.kind === 'import' && binding.from === packageName ? [name] : [],
      );
      return main.calls
        .filter(({ callee }) => names.includes(String((callee as SyntaxNode).name)))
        .flatMap((call) => (call.arguments as readonly SyntaxNode[]).slice(0, 1))
        .map((first) => values.unwrap(values.evaluate(first, main.scope)));
    },
    placeOf: (value, key) => values.placeOf(value, key) ?? { file: main.file, line: 0 },
    isPartial: (value) => values.isPartial(value),
  };
}
