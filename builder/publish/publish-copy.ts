import { openOutput } from './open-output.ts';
import type { PublishOptions } from './publish-site.ts';
import { createFileList, type SiteFiles } from './site-files.ts';

/** A site that was built elsewhere. */
export interface CopiedSite {
  /** Its folders: a name, '' or a path that ends with `/`, and the files there, each with a key: equal keys mean equal bytes. */
  readonly groups: Iterable<
    readonly [name: string, prefix: string, files: Iterable<readonly [path: string, key: string]>]
  >;
  readonly produce: PublishOptions['produce'];
  /** What the build that made it left for the next one; undefined = nothing. */
  readonly notes: unknown;
}

/** Publishes a site to a folder as the build that made it did. Throws like `openOutput`. */
export async function publishCopy(folder: string, { groups, produce, notes }: CopiedSite): Promise<void> {
  const site: SiteFiles = new Map(
    Array.from(groups, ([name, prefix, files]) => [name, { prefix, list: createFileList(files) }]),
  );
  const output = openOutput(folder, { force: false, protect: [] });
  try {
    await output.publish(site, {
      produce,
      notes: () => notes ?? {},
      maxBytes: Number.MAX_SAFE_INTEGER,
      parts: new Map([['', [...site.keys()]]]),
    });
  } finally {
    output.close();
  }
}
