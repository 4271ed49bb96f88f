import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts';
import { BuildError } from '../build-error.ts';
import { contentKey } from '../cache/content-key.ts';
import type { Composer } from '../compose/create-composer.ts';
import type { MarkdownOptions, Repository, Warning } from '../model.ts';
import type { FileGroup, SiteFiles } from '../publish/site-files.ts';
import { assignSlugs, LATEST_SLUG } from '../refs/version-slug.ts';
import { createTreePaths } from '../source/files/tree-paths.ts';
import { chooseLanguages } from '../source/languages.ts';
import type { ProjectFile } from '../source/project-file-schema.ts';
import type { BuildTools } from './build-tools.ts';
import { createNavigationBuilder } from './navigation/release-navigation.ts';
import type { PageRenderer } from './pages/render-pages.ts';
import { prepareVersions, renderVersions, sortPages } from './pages/render-versions.ts';
import type { StageClock } from './progress.ts';
import { planVersion } from './releases/plan-version.ts';
import { blobOfKey } from './releases/release-assets.ts';
import { createSiteFrame, hashSite, listEditable, readLogo } from './site.ts';
import { listHomes, planSiteFiles, planVersionIndex, withoutTaken } from './site-files.ts';
import type { SiteSettings } from './site-options.ts';
import { type BuildNotes, noteSkipped, storeLayout, storeSource, type VersionNotes } from './versions/build-notes.ts';
import { describeCandidates, missingSourceError, noPagesError } from './versions/missing-source.ts';
import { attempt, type ChosenVersion, type Failures } from './versions/version-choices.ts';
import { hasSource, type VersionSource, type VersionSources } from './versions/version-source.ts';

/** What a site is planned from. */
export interface SiteInput {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  readonly settings: SiteSettings;
  readonly sourceDir: string | undefined;
  readonly hideGit?: boolean | undefined;
  /** In readers' order, the latest version first. */
  readonly versions: readonly ChosenVersion[];
  readonly sources: VersionSources;
  /** Names of versions that keep their addresses when others want them. */
  readonly holders: ReadonlySet<string>;
  readonly tools: BuildTools;
  readonly composer: Composer;
  /** Version of everything that renders, the composer included. */
  readonly engineVersion: string;
  /** What is published now and how it came about. */
  readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
  readonly clock: StageClock;
}

/** A site that is planned: all its files, and how to make those that are not published yet. */
export interface PlannedSite {
  readonly files: SiteFiles;
  readonly produce: (key: string) => Uint8Array | Promise<Uint8Array>;
  /** Names the versions that hold a content. */
  readonly findUsers: (key: string) => readonly string[];
  readonly versions: Readonly<Record<string, VersionNotes>>;
  readonly languages: number;
  /** Warnings that belong to no version. */
  readonly siteWarnings: readonly Warning[];
}

/**
 * Reads and renders what changed since the last build and plans the whole site. Where versions turn out not to be buildable,
 * returns them instead: the site is another one without them.
 */
export async function planSite(input: SiteInput): Promise<PlannedSite | { readonly failures: Failures }> {
  const { settings, versions, sources, tools, clock, previous } = input;
  const findNotes = (ref: string): VersionNotes | undefined =>
    previous && Object.hasOwn(previous.notes.versions, ref) ? previous.notes.versions[ref] : undefined;
  const latest = versions[0]!;
  const refs = versions.map(({ ref }) => ref);
  const { slugs, conflicts } = assignSlugs(refs, latest.ref.name, input.holders);
  const failures: Failures = new Map(conflicts);
  const layouts = await sources.collectLayouts(versions, failures);
  const latestSource = await attempt(latest.ref.name, failures, () => sources.read(latest));
  if (failures.size > 0 || !latestSource) return { failures };
  if (!hasSource(latestSource)) {
    const othersHaveIt = layouts.length > 0;
    const without = othersHaveIt ? [latest] : versions;
    throw await missingSourceError({ ...tools, versions: without, missing: latestSource, othersHaveIt });
  }
  const languages = chooseLanguages(layouts, settings.lang);
  const rendererOf = ({ project }: VersionSource): PageRenderer => tools.rendererFor(markdownOptions(project));
  const sorting = { languages, single: settings.single };
  const { languages: latestPages } = await sortPages(latestSource, rendererOf(latestSource), sorting);
  if (latestPages.length === 0) throw noPagesError(latestSource, languages);
  const found = await attempt(latest.ref.name, failures, () =>
    readLogo({
      logo: settings.theme.logo,
      ref: latest.ref.name,
      sourceFolder: latestSource.sourceFolder,
      reader: tools.reader,
      find: createTreePaths(tools.reader, latest.rootTree).find,
    }),
  );
  const head = versions.find(({ ref }) => ref.name === input.repository.head && ref.kind === 'branch');
  const editable = head ? await attempt(head.ref.name, failures, () => listEditable(head, sources)) : new Set<string>();
  if (!found || !editable) return { failures };
  const { logo, warnings: logoWarnings } = found;
  const frame = createSiteFrame({ ...input, languages, latest: latestPages, editable, logo });
  const siteKey = hashSite(input, frame, latestPages, logo?.name);

  const groups = new Map<string, FileGroup>();
  const producers = new Map<string, () => string | Promise<Uint8Array>>();
  const notes: Record<string, VersionNotes> = Object.create(null) as Record<string, VersionNotes>;
  const buildNavigation = createNavigationBuilder();
  const stale: { version: ChosenVersion; slug: string; key: string }[] = [];
  for (const version of versions) {
    const slug = slugs.get(version.ref.name)!;
    const key = contentKey(siteKey, version.rootTree, version.ref.name, slug);
    const known = findNotes(version.ref.name);
    if (known && (known.key === key || version.isFixed) && takeOver(known, slug)) {
      notes[version.ref.name] = { ...known, kind: version.ref.kind, oid: version.ref.oid, time: version.time };
    } else if (version.isFixed) failures.set(version.ref.name, cannotStayError(version.ref.name));
    else stale.push({ version, slug, key });
  }

  clock.enter('render');
  const toRender: { slug: string; key: string; source: VersionSource; renderer: PageRenderer }[] = [];
  for (const { version, slug, key } of stale) {
    const source = await attempt(version.ref.name, failures, () => sources.read(version));
    if (!source) continue;
    if (hasSource(source)) toRender.push({ slug, key, source, renderer: rendererOf(source) });
    else notes[version.ref.name] = noteSkipped(version, key, source);
  }
  const prepared = await prepareVersions(toRender, { reader: tools.reader, ...sorting }, failures);
  if (failures.size > 0) return { failures };
  const { versions: rendered, finished } = await renderVersions(prepared, clock.progress, failures);
  clock.enter('compose', rendered.length);
  for (const [index, version] of rendered.entries()) {
    const turn = yieldToEventLoop();
    if (turn) await turn;
    const { slug, key, renderer } = toRender[index]!;
    const { ref, rootTree, time } = version.source.version;
    if (failures.has(ref.name)) continue;
    const known = findNotes(ref.name);
    const planned = await attempt(ref.name, failures, () =>
      planVersion(version, slug, {
        ...frame,
        siteKey,
        renderer,
        buildNavigation,
        assets: tools.assets,
        readNavigation: tools.readNavigation,
        published: known && { notes: known, findList: (code) => previous!.site.get(`${code}/${slug}`)?.list },
      }),
    );
    if (!planned) continue;
    for (const [code, release] of planned.releases) {
      groups.set(`${code}/${slug}`, { prefix: frame.releasePath(code, slug), list: release.list });
      for (const [content, produce] of release.producers) if (!producers.has(content)) producers.set(content, produce);
      release.producers.clear();
    }
    notes[ref.name] = {
      kind: ref.kind,
      oid: ref.oid,
      tree: rootTree,
      time,
      source: storeSource(version.source),
      layout: storeLayout(version.source.layout),
      key: planned.isMomentary ? '' : key,
      languages: [...planned.releases.keys()],
      releases: planned.releaseNotes,
      pages: planned.pages,
      fallbacks: planned.fallbacks,
      errors: planned.errors,
      warnings: planned.warnings,
      ...(planned.unlisted && { unlisted: planned.unlisted }),
    };
    clock.advance();
  }
  await finished;
  if (failures.size > 0) return { failures };
  for (const code of notes[latest.ref.name]!.languages) {
    const own = groups.get(`${code}/${slugs.get(latest.ref.name)}`)!;
    if (!settings.single)
      groups.set(`${code}/${LATEST_SLUG}`, { ...own, prefix: frame.releasePath(code, LATEST_SLUG) });
  }
  const siteFiles = planSiteFiles({
    composer: frame.composer,
    latest: latestPages,
    unlisted: notes[latest.ref.name]!.unlisted,
    homes: listHomes(languages, versions, notes, slugs),
    releasePath: frame.releasePath,
    baseUrl: settings.baseUrl,
    alsoBelow: settings.alsoBelow,
    single: settings.single,
    theme: frame.theme,
    accent: settings.theme.accent,
    assetsFolder: frame.assetsFolder,
    extra: new Map([
      ...(logo?.name === undefined ? [] : [[frame.assetsFolder + logo.name, logo.bytes] as const]),
      ['versions.json', planVersionIndex({ ...input, languages, latest, slugs, notes, groups })],
    ]),
  });
  groups.set('site', {
    prefix: '',
    list: settings.single ? withoutTaken(siteFiles.list, groups.values()) : siteFiles.list,
  });
  return {
    files: groups,
    findUsers: (key) =>
      versions.flatMap(({ ref: { name } }) => {
        const lists = notes[name]!.languages.map((code) => groups.get(`${code}/${slugs.get(name)}`)!.list);
        return lists.some(({ files }) => files.some(([, content]) => content === key)) ? [name] : [];
      }),
    versions: Object.fromEntries(versions.map(({ ref }) => [ref.name, notes[ref.name]!])),
    languages: new Set(Object.values(notes).flatMap((version) => version.languages)).size,
    siteWarnings: [...logoWarnings, ...(await warnOfReadme(latestSource))],
    produce(key) {
      const oid = blobOfKey(key);
      if (oid !== undefined) return tools.reader.readBlob(oid);
      const content = siteFiles.contents.get(key) ?? producers.get(key)?.();
      if (content === undefined) throw new Error(`Nothing makes the content "${key}"`);
      return typeof content === 'string' ? Buffer.from(content) : content;
    },
  };

  /** Takes a version's releases from what is published; false when one of them is gone. */
  function takeOver(known: VersionNotes, slug: string): boolean {
    const found = known.languages.map((code) => [`${code}/${slug}`, previous!.site.get(`${code}/${slug}`)] as const);
    const isThere = found.every(([name, group]) => group?.prefix === frame.releasePath(name.split('/')[0]!, slug));
    if (!isThere || !known.languages.every((code) => languages.some((language) => language.code === code)))
      return false;
    for (const [name, group] of found) groups.set(name, group!);
    return true;
  }

  /** Where only the README of the latest version is shown, its author should know which folders were not taken. */
  async function warnOfReadme({ isReadmeOnly, version }: VersionSource): Promise<readonly Warning[]> {
    const candidates = isReadmeOnly ? await tools.sources.listCandidates(version.rootTree) : [];
    if (candidates.length === 0) return [];
    const message = `Only the README is shown${describeCandidates(candidates)}: set the folder of the documentation with --source or "sourceDir"`;
    return [{ ref: version.ref.name, file: '', line: 0, code: 'source-folder', message }];
  }
}

function markdownOptions(project: ProjectFile): MarkdownOptions {
  const { html = 'raw', emoji = true, math = false, mermaid = false } = project.markdown ?? {};
  return { html, emoji, math, mermaid };
}

function cannotStayError(name: string): BuildError {
  return new BuildError('damaged-repository', `What is published of "${name}" no longer fits the site`);
}
