import { createHash } from 'node:crypto';
import { openOutput } from '../../builder/publish/open-output.ts';
import { createFileList, type SiteFiles } from '../../builder/publish/site-files.ts';

/** Publishes files to a folder as a build does; the first folders of their paths, `en/v1/`, are groups of their own. */
export async function publishFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const contents = new Map<string, Buffer>();
  const groups = new Map<string, [string, string][]>();
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as string);
    // Keys are not hashes of the bytes, but decide about them.
    const key = createHash('sha1').update('key').update(bytes).digest('hex');
    contents.set(key, bytes);
    const prefix = /^\w+\/\w+\//.exec(path)?.[0] ?? '';
    groups.set(prefix, [...(groups.get(prefix) ?? []), [path.slice(prefix.length), key]]);
  }
  const site: SiteFiles = new Map(
    [...groups].map(([prefix, list]) => [prefix, { prefix, list: createFileList(list) }]),
  );
  const output = openOutput(folder, { force: true, protect: [] });
  try {
    await output.publish(site, {
      produce: (key) => contents.get(key)!,
      notes: () => ({}),
      maxBytes: 1_000_000_000,
      parts: new Map([['all', [...groups.keys()]]]),
    });
  } finally {
    output.close();
  }
}

/** Removes what is published in a folder, as a build that finds no version does. */
export function takeDownFiles(folder: string): void {
  const output = openOutput(folder, { force: true, protect: [] });
  output.takeDown();
  output.close();
}
