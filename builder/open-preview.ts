import { buildFrom, completeOptions, startClock } from './build-site.ts';
import { readEngineVersion } from './engine-version.ts';
import { openWorkTree, type WorkTree } from './git/open-repository.ts';
import type { ObjectReader } from './model.ts';
import type { BuildSummary } from './plan/build-summary.ts';
import { createBuildTools } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild } from './plan/option-words.ts';
import { openSafeOutput } from './plan/safe-output.ts';
import type { BuildOptions } from './plan/site-options.ts';
import type { Output } from './publish/open-output.ts';
import { isWholeSite } from './publish/site-manifest.ts';

/** Builds the site of a folder repeatedly while its files are being edited. */
export interface Preview extends Pick<WorkTree, 'root' | 'isIgnored'> {
  /**
   * Builds the site, as `buildSite` does. `changed` are the absolute paths of the changes since the last build; without it,
   * everything is examined.
   */
  build(changed?: readonly string[]): Promise<BuildSummary>;
  close(): Promise<void>;
}

/** Does what `openPreview` of index.ts says. */
export function openPreview(given: BuildOptions): Preview {
  const options = completeOptions(given);
  const folder = openWorkTree(options.repository);
  let current = folder.open();
  const reader: ObjectReader = {
    readCommit: (oid) => current.readCommit(oid),
    readTree: (oid) => current.readTree(oid),
    readBlob: (oid) => current.readBlob(oid),
    past: folder.past,
  };
  const tools = createBuildTools(options, reader, readEngineVersion());
  /** Nobody else publishes there, so it stays open, and not all of what is published is looked at before each build. */
  let output: Output | undefined;
  return {
    root: folder.root,
    isIgnored: folder.isIgnored,
    async build(changed) {
      folder.forget(changed);
      current = folder.open();
      const before = tools.renderedCount();
      const counting = { ...tools, renderedCount: () => tools.renderedCount() - before };
      return wordBuild(FLAG_WORDS, async () => {
        const clock = startClock(options);
        if (output?.published && !isWholeSite(options.out)) closeOutput();
        output ??= await openSafeOutput(options);
        try {
          return await buildFrom({ options, clock, output, repository: current, tools: counting });
        } catch (error) {
          // The next build looks at what is published.
          closeOutput();
          throw error;
        }
      });
    },
    async close() {
      closeOutput();
      await tools.close();
    },
  };

  function closeOutput(): void {
    output?.close();
    output = undefined;
  }
}
