import { buildFrom, buildInto, completeOptions } from './build-site.ts';
import { readEngineVersion } from './engine-version.ts';
import { openWorkTree, type WorkTree } from './git/open-repository.ts';
import type { ObjectReader } from './model.ts';
import type { BuildSummary } from './plan/build-summary.ts';
import { createBuildTools } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild } from './plan/option-words.ts';
import type { BuildOptions } from './plan/site-options.ts';

/** Builds the site of a folder repeatedly while its files are being edited. */
export interface Preview extends Pick<WorkTree, 'root' | 'isIgnored'> {
  /**
   * Builds the site, as `buildSite` does. `changed` are the absolute paths of the changes since the last build; without it,
   * everything is examined.
   */
  build(changed?: readonly string[]): Promise<BuildSummary>;
  close(): Promise<void>;
}

/** Opens the folder `repository` for a preview: one version, committed or not. Throws `not-a-repository`. */
export function openPreview(given: BuildOptions): Preview {
  const options = completeOptions(given);
  const folder = openWorkTree(options.repository);
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
      return wordBuild(FLAG_WORDS, () =>
        buildInto(options, (build) => buildFrom({ ...build, repository: current, tools: counting })),
      );
    },
    close: () => tools.close(),
  };
}
