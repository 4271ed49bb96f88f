import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildFrom, completeOptions, readEngineVersion, startClock } from './build-site.ts';
import type { OwnTemplates } from './compose/own-templates.ts';
import { type ConfigFile, loadConfig } from './extensions/config-file.ts';
import { createElements, ELEMENTS_FOLDER, ELEMENTS_RELEASES } from './extensions/elements.ts';
import type { ObjectReader, Repository } from './model.ts';
import { openWorkTree, type WorkTree } from './open-repository.ts';
import { isPageFile } from './page-path.ts';
import type { PendingSummary } from './plan/build-summary.ts';
import { createBuildTools, getComposer } from './plan/build-tools.ts';
import { FLAG_WORDS, wordBuild } from './plan/option-words.ts';
import type { RemakePage } from './plan/releases/remake-page.ts';
import type { BuildOptions } from './plan/site-options.ts';
import type { PlannedSite } from './plan/site-plan.ts';
import { type LiveSite, openLiveOutput } from './publish/live-output.ts';
import { LATEST_SLUG } from './refs/version-slug.ts';
import { createTreePaths, type TreePaths } from './source/files/tree-paths.ts';

/** Options of a preview, which writes no site. */
export interface PreviewOptions extends Omit<BuildOptions, 'out' | 'force' | 'outputWaitMs'> {
  /** Adds pages that show all elements, and releases in which nothing differs, so that a look can be judged. */
  readonly elements?: boolean | undefined;
}

/** Builds the site of a folder repeatedly while its files are being edited. */
export interface Preview extends Pick<WorkTree, 'root' | 'isIgnored' | 'isIgnoreFile'> {
  /** The site as the last build planned it; its pages are composed when they are read. */
  readonly site: LiveSite;
  /** Returns the path in the site of the page that shows all elements; undefined where it was not asked for or is not there yet. */
  elementsPath(): string | undefined;
  /**
   * Builds the site, as `buildSite` does. `changed` are the absolute paths of the changes since the last build; without it,
   * everything is examined. Where one page was changed, and nothing of it but the text, the site has it before anything else is
   * looked at: then `onPage` is called, and returns the paths that were changed before it did.
   */
  build(changed?: readonly string[], onPage?: () => Promise<readonly string[]>): Promise<PendingSummary>;
  /** From the next build on, these templates take the place of docbuild's own. Throws `bad-option` for those that cannot be used. */
  setTemplates(templates: OwnTemplates): void;
  /** From the next build on, these extensions take the place of the ones before. Throws `bad-option` for those that cannot be used. */
  setConfig(config: ConfigFile): Promise<void>;
  close(): Promise<void>;
}

/** See `openPreview` of index.ts. */
export async function openPreview(given: PreviewOptions): Promise<Preview> {
  const { elements = false, ...others } = given;
  let options = completeOptions({ ...others, out: '' });
  const folder = await openWorkTree(options.repository);
  let current = await folder.open();
  const reader: ObjectReader = {
    readCommit: (oid) => current.readCommit(oid),
    readTree: (oid) => current.readTree(oid),
    readBlob: (oid) => current.readBlob(oid),
    past: folder.past,
  };
  const loadExtensions = async (config = options.config) => [
    ...(await loadConfig(config)),
    ...(elements ? [createElements()] : []),
  ];
  let extensions = await loadExtensions();
  let tools = createBuildTools(options, reader, readEngineVersion(), extensions);
  const output = openLiveOutput();
  let isWarm = false;
  /** The site is as the last build planned it. */
  let isCurrent = false;
  /** By the ids of the lists of the site. */
  let remakes: ReadonlyMap<string, RemakePage> = new Map();
  const keepRemakes = ({ files, remakeOf }: PlannedSite): void => {
    const lists = [...files.values()].map(({ list }) => list);
    const found = lists.map((list) => [list.id, remakeOf(list) ?? remakes.get(list.id)] as const);
    remakes = new Map(found.filter((row): row is [string, RemakePage] => row[1] !== undefined));
  };
  const openPaths = async (): Promise<TreePaths> => {
    const { tree } = await current.readCommit(current.refs[0]!.oid);
    return createTreePaths(reader, tree);
  };
  const pathOf = (file: string): string => relative(folder.root, file).split(sep).join('/');
  /** Returns those of changed paths that are there, or were: editors write others, and remove them, as they save a file. */
  const selectLasting = async (changed: readonly string[]): Promise<readonly string[]> => {
    const { find } = await openPaths();
    const isLasting = await Promise.all(changed.map(async (file) => existsSync(file) || (await find(pathOf(file)))));
    return changed.filter((_, at) => isLasting[at]);
  };
  /** Makes the page of a file anew, as everything else was when the site was built; returns whether there is one. */
  const remakePage = async (file: string): Promise<boolean> => {
    const path = pathOf(file);
    if (!isPageFile(path)) return false;
    const { find } = await openPaths();
    const lists = new Map([...(output.published?.site.values() ?? [])].map(({ list }) => [list.id, list]));
    let isMade = false;
    for (const [id, list] of lists) {
      const page = await remakes.get(id)?.(path, find);
      if (page) output.replace(list, page.output, page);
      isMade ||= page !== undefined;
    }
    return isMade;
  };
  const buildAll = async (renderedBefore: number): Promise<PendingSummary> => {
    // Nothing is published, so no extension is asked.
    const askBeforePublish = async (): Promise<void> => {};
    const renderedCount = (): number => tools.renderedCount() - renderedBefore;
    // A page that extensions change is made from something else than its file.
    const keepsPages = !extensions.some(({ transform }) => transform !== undefined);
    const counting = { ...tools, keepsPages, renderedCount, askBeforePublish };
    const repository = elements ? addReleases(current) : current;
    const summary = await wordBuild(FLAG_WORDS, () =>
      buildFrom({ options, clock: startClock(options), output, repository, tools: counting, onSite: keepRemakes }),
    );
    // With a full cache the first save is the first page that is rendered.
    if (!isWarm) tools.warmUp().catch(() => {});
    isWarm = true;
    if (options.templates) await tryPages(output.site);
    return summary;
  };
  return {
    root: folder.root,
    isIgnored: folder.isIgnored,
    isIgnoreFile: folder.isIgnoreFile,
    site: output.site,
    elementsPath() {
      const paths = elements ? output.site.list().filter((path) => path.endsWith(ELEMENTS_PAGE)) : [];
      return paths.find((path) => path.split('/').includes(LATEST_SLUG)) ?? paths[0];
    },
    async build(changed, onPage) {
      // At once: its rules may have changed, which whoever watches the folder asks for.
      folder.forget(changed);
      await Promise.all((changed ?? []).map(waitForText));
      const lasting = isCurrent && onPage && changed ? await selectLasting(changed).catch(() => []) : [];
      current = await folder.open();
      const before = tools.renderedCount();
      isCurrent = false;
      try {
        // What goes wrong with a page is told by the build.
        if (lasting.length === 1 && (await remakePage(lasting[0]!).catch(() => false))) {
          const later = await onPage!();
          if (later.length > 0) {
            folder.forget(later);
            current = await folder.open();
          }
        }
        const summary = await buildAll(before);
        isCurrent = true;
        return summary;
      } finally {
        // The site is what was built, or what was before.
        output.restore();
      }
    },
    setTemplates(templates) {
      tools = { ...tools, composer: getComposer(templates) };
      options = { ...options, templates };
    },
    async setConfig(config) {
      extensions = await loadExtensions(config);
      const { cache } = tools;
      await tools.close({ keepsCache: true });
      options = { ...options, config };
      tools = createBuildTools(options, reader, readEngineVersion(), extensions, cache);
      isWarm = false;
    },
    close: () => tools.close(),
  };
}

/** Programs that write into a file empty it first, and fill it at once; on a busy machine a moment later. */
const FILL_MS = 50;
const FILL_STEP_MS = 5;

/** Waits until an empty file is filled, for {@link FILL_MS} at most. */
async function waitForText(file: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < FILL_MS; waitedMs += FILL_STEP_MS) {
    const status = await stat(file).catch(() => undefined);
    if (!status?.isFile() || status.size > 0) return;
    await setTimeout(FILL_STEP_MS);
  }
}

const ELEMENTS_PAGE = `${ELEMENTS_FOLDER}/index.html`;

/** Returns the folder with releases that have the same files. */
function addReleases(repository: Repository): Repository {
  const [{ oid } = { oid: '' }] = repository.refs;
  return {
    ...repository,
    refs: [...repository.refs, ...ELEMENTS_RELEASES.map((name) => ({ name, kind: 'tag', oid }) as const)],
  };
}

/** How long pages are composed only to find mistakes of templates, in ms. */
const TRY_MS = 100;

/** Composes pages until time is up, at least one: mistakes of templates are found that way. Throws what they throw. */
async function tryPages(site: LiveSite): Promise<void> {
  const endMs = performance.now() + TRY_MS;
  for (const path of site.list().filter((name) => name.endsWith('.html'))) {
    await site.read(path);
    if (performance.now() > endMs) return;
  }
}
