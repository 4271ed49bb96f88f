import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOutput } from '../../../builder/publish/open-output.ts';
import type { PublishResult } from '../../../builder/publish/publish-site.ts';
import { createFileList, type SiteFiles } from '../../../builder/publish/site-files.ts';
import type { ExchangeNames } from '../../../lib/exchange-names.ts';

/** Contents of a site by path; the folder before the first slash is a group of its own. */
export type SiteSketch = Readonly<Record<string, string>>;

/** Returns the files of a sketched site, and the text of each content key. */
export function sketchSite(sketch: SiteSketch): {
  readonly site: SiteFiles;
  readonly contents: ReadonlyMap<string, string>;
} {
  const contents = new Map<string, string>();
  const groups = new Map<string, [string, string][]>();
  for (const [path, text] of Object.entries(sketch)) {
    const key = createHash('sha1').update(text).digest('hex');
    contents.set(key, text);
    const prefix = path.slice(0, path.indexOf('/') + 1);
    const files = groups.get(prefix) ?? [];
    groups.set(prefix, files);
    files.push([path.slice(prefix.length), key]);
  }
  const site = new Map(
    [...groups].map(([prefix, files]) => [prefix || 'site', { prefix, list: createFileList(files) }]),
  );
  return { site, contents };
}

/** The result of a publish, and the contents that it asked for. */
export interface Published extends PublishResult {
  readonly produced: readonly string[];
}

/** Opens an output folder, publishes a sketched site and closes it. */
export async function publishTo(
  out: string,
  sketch: SiteSketch,
  options: {
    readonly force?: boolean;
    readonly protect?: readonly string[];
    readonly maxBytes?: number;
    readonly exchange?: ExchangeNames;
    readonly preparesNext?: boolean;
    readonly produce?: (text: string) => string | Promise<string>;
  } = {},
): Promise<Published> {
  const { site, contents } = sketchSite(sketch);
  const produced: string[] = [];
  const { exchange } = options;
  const output = openOutput(out, {
    force: options.force ?? false,
    protect: options.protect ?? [],
    ...(exchange && { exchange }),
  });
  try {
    const result = await output.publish(site, {
      async produce(key) {
        const text = contents.get(key)!;
        produced.push(text);
        return Buffer.from(await (options.produce?.(text) ?? text));
      },
      notes: () => ({}),
      maxBytes: options.maxBytes ?? 1e9,
      parts: new Map([['all', [...site.keys()]]]),
    });
    if ('misfits' in result) throw new Error(`No room for ${result.misfits.names.join(', ')}`);
    if (options.preparesNext ?? true) await output.prepareNext();
    return { ...result, produced: produced.sort() };
  } finally {
    output.close();
  }
}

/** Returns all files below a folder with their text; docbuild's marker is left out, empty folders end in `/`. */
export function readSite(folder: string): SiteSketch {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    const names = readdirSync(join(folder, path)).sort();
    if (names.length === 0 && path !== '') found[path] = '';
    for (const name of names) {
      if (path + name === '.docbuild.json') continue;
      if (lstatSync(join(folder, path + name)).isDirectory()) walk(`${path}${name}/`);
      else found[path + name] = readFileSync(join(folder, path + name), 'utf8');
    }
  };
  walk('');
  return found;
}
