import { buildFrom, buildInto, completeOptions } from './build-site.ts';
import { readEngineVersion } from './engine-version.ts';
import { openWorkTree } from './git/open-repository.ts';
import type { ObjectReader } from './model.ts';
import type { BuildSummary } from './plan/build-summary.ts';
import { createBuildTools } from './plan/build-tools.ts';
import type { BuildOptions } from './plan/site-options.ts';

/** The site of a folder as its files are now, built again and again while somebody works on them. */
export interface Preview {
  /** The folder whose files are read, as an absolute path. */
  readonly root: string;
  /** Tells whether a change of a file or folder, by absolute path, can never change the site. */
  isIgnored(path: string, isFolder: boolean): boolean;
  /**
   * Builds the site, as `buildSite` does; `changed` are the absolute paths of what changed since the last build, by default
   * anything may have.
   */
  build(changed?: readonly string[]): Promise<BuildSummary>;
  close(): Promise<void>;
}

/** Opens the folder `repository` for a preview: one version, whatever is committed. Throws `not-a-repository`. */
export function openPreview(given: BuildOptions): Preview {
  const options = completeOptions(given);
  const folder = openWorkTree(options.repository, options.repository);
  let current = folder.open();
  const reader: ObjectReader = {
    readCommit: (oid) => current.readCommit(oid),
    readTree: (oid) => current.readTree(oid),
    readBlob: (oid) => current.readBlob(oid),
  };
  const tools = createBuildTools(options, reader, readEngineVersion());
  return {
    root: folder.root,
    isIgnored: folder.isIgnored,
    async build(changed) {
      folder.forget(changed);
      current = folder.open();
      const before = tools.renderedCount();
      const counting = { ...tools, renderedCount: () => tools.renderedCount() - before };
      return buildInto(options, (build) => buildFrom({ ...build, repository: current, tools: counting }));
    },
    close: () => tools.close(),
  };
}
