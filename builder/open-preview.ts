import { buildFrom, completeOptions, readEngineVersion, startClock } from './build-site.ts';
import { loadConfig } from './extensions/config-file.ts';
import type { ObjectReader } from './model.ts';
import { openWorkTree, type WorkTree } from './open-repository.ts';
import type { BuildSummary } from './plan/build-summary.ts';
import { createBuildTools } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild } from './plan/option-words.ts';
import type { BuildOptions } from './plan/site-options.ts';
import { type LiveSite, openLiveOutput } from './publish/live-output.ts';

/** Options of a preview, which writes no site. */
export type PreviewOptions = Omit<BuildOptions, 'out' | 'force' | 'outputWaitMs'>;

/** Builds the site of a folder repeatedly while its files are being edited. */
export interface Preview extends Pick<WorkTree, 'root' | 'isIgnored' | 'isIgnoreFile'> {
  /** The site as the last build planned it; its pages are composed when they are read. */
  readonly site: LiveSite;
  /**
   * Builds the site, as `buildSite` does. `changed` are the absolute paths of the changes since the last build; without it,
   * everything is examined.
   */
  build(changed?: readonly string[]): Promise<BuildSummary>;
  close(): Promise<void>;
}

/** See `openPreview` of index.ts. */
export async function openPreview(given: PreviewOptions): Promise<Preview> {
  const options = completeOptions({ ...given, out: '' });
  const folder = await openWorkTree(options.repository);
  let current = await folder.open();
  const reader: ObjectReader = {
    readCommit: (oid) => current.readCommit(oid),
    readTree: (oid) => current.readTree(oid),
    readBlob: (oid) => current.readBlob(oid),
    past: folder.past,
  };
  const tools = createBuildTools(options, reader, readEngineVersion(), await loadConfig(options.config));
  const output = openLiveOutput();
  let isWarm = false;
  return {
    root: folder.root,
    isIgnored: folder.isIgnored,
    isIgnoreFile: folder.isIgnoreFile,
    site: output.site,
    async build(changed) {
      folder.forget(changed);
      current = await folder.open();
      const before = tools.renderedCount();
      // Nothing is published, so no extension is asked.
      const askBeforePublish = async (): Promise<void> => {};
      const counting = { ...tools, renderedCount: () => tools.renderedCount() - before, askBeforePublish };
      const summary = await wordBuild(FLAG_WORDS, () =>
        buildFrom({ options, clock: startClock(options), output, repository: current, tools: counting }),
      );
      // With a full cache the first save is the first page that is rendered.
      if (!isWarm) tools.warmUp().catch(() => {});
      isWarm = true;
      return summary;
    },
    close: () => tools.close(),
  };
}
