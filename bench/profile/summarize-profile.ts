/** The part of a V8 CPU profile (`--cpu-prof`) that is read here; times are µs. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Time spent in one place itself, ms. */
export interface Share {
  readonly name: string;
  readonly ms: number;
}

/** A thread's profile: how long it ran and where its own time went. */
export interface ProfileSummary {
  readonly totalMs: number;
  readonly idleMs: number;
  readonly packages: readonly Share[];
  readonly functions: readonly Share[];
}

/** Sums up self times by package and by function, the longest first. */
export function summarizeProfile({ nodes, samples, timeDeltas }: CpuProfile): ProfileSummary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, ms: number) => map.set(key, (map.get(key) ?? 0) + ms);
  let idleMs = 0;
  let totalMs = 0;
  samples.forEach((id, index) => {
    const ms = timeDeltas[index]! / 1000;
    const { functionName, url, lineNumber } = frames.get(id)!;
    totalMs += ms;
    if (functionName === '(idle)') {
      idleMs += ms;
      return;
    }
    const place = nameOfUrl(url, functionName);
    add(packages, place.group, ms);
    add(
      functions,
      `${functionName.slice(0, 60) || '(anonymous)'} ${place.file}${url === '' ? '' : `:${lineNumber + 1}`}`,
      ms,
    );
  });
  return { totalMs, idleMs, packages: sort(packages), functions: sort(functions) };
}

/** Names the package, docbuild's room or part of Node a script belongs to. */
function nameOfUrl(url: string, functionName: string): { readonly group: string; readonly file: string } {
  if (url === '') return { group: functionName.startsWith('(') ? functionName : '(native)', file: '' };
  if (url.startsWith('node:')) return { group: 'node', file: url };
  if (url.startsWith('wasm:')) return { group: 'wasm (Oniguruma)', file: 'wasm' };
  const [, inPackage] = /.*\/node_modules\/(.+)$/.exec(url) ?? [];
  if (inPackage !== undefined) {
    const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(inPackage) ?? [inPackage];
    return { group: name, file: inPackage };
  }
  const [, own] = /.*\/dist\/(.+)$/.exec(url) ?? [];
  return own === undefined ? { group: url, file: url } : { group: own.split('/').slice(0, -1).join('/'), file: own };
}

function sort(map: ReadonlyMap<string, number>): readonly Share[] {
  return [...map].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms);
}
