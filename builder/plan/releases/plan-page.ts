import { append } from '../../../lib/append.ts';
import { encodePath, isAbsoluteUrl } from '../../../lib/url-text.ts';
import { contentKey } from '../../cache/content-key.ts';
import { pageAddress } from '../../compose/navigation.ts';
import type { PageProblem } from '../../compose/page-model.ts';
import type { LinkSlot } from '../../model.ts';
import { folderOf } from '../../page-path.ts';
import type { LiveContent } from '../../publish/live-output.ts';
import type { Language } from '../../source/languages.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { writeSlot } from '../asset-reader.ts';
import type { ImageSize } from '../image-size.ts';
import type { LinkOutcome } from '../links/create-link-resolver.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { composeLater, createRedirect, createSizedHomeModel, surroundPage } from './compose-later.ts';
import { planMarkdown } from './compose-markdown.ts';
import type { ReleaseFrames } from './release-frames.ts';
import type { ReleaseLinks } from './release-links.ts';
import type { VersionScope } from './version-scope.ts';

/** A release while its files are planned. */
export interface ReleaseScope {
  readonly version: VersionScope;
  readonly language: Language;
  readonly links: ReleaseLinks;
  readonly frames: ReleaseFrames;
  /** Paths of Markdown by those of pages, see `ClaimedPages`. */
  readonly markdown: ReadonlyMap<string, string>;
}

/** A file of a release, and how it is made. */
export interface PlannedFile {
  readonly path: string;
  readonly key: string;
  readonly make: () => string | Promise<Uint8Array>;
}

export interface PlannedPage {
  readonly page: LiveContent;
  /** The page for programs, by its path; undefined where it has none. */
  readonly markdown?: (LiveContent & { readonly path: string }) | undefined;
  /** Its links, those of its text first, and where they lead. */
  readonly links: readonly (readonly [slot: LinkSlot, outcome: LinkOutcome])[];
  /** Nothing in it but its links names the version. */
  readonly isPortable: boolean;
}

/** Plans a page from its text, or the redirect that it is; composes nothing yet. */
export async function planPage(page: Page, rendered: RenderedPage, release: ReleaseScope): Promise<PlannedPage> {
  const { version, language, frames } = release;
  const { site, source, renderer } = version;
  const { output, meta, isFallback } = page;
  const links: (readonly [LinkSlot, LinkOutcome])[] = [];
  const follow = (slot: LinkSlot): LinkOutcome => {
    const outcome = release.links.ofPage(page, rendered)(slot);
    links.push([slot, outcome]);
    return outcome;
  };
  if (meta.redirectTo !== undefined) {
    const { url } = meta.redirectTo;
    const to = isAbsoluteUrl(url) ? url : follow({ kind: 'link', ...meta.redirectTo }).url;
    return { page: createRedirect(site.tools, to, language), links, isPortable: true };
  }
  const path = source.realPath(page.file);
  const prefixes = release.links.prefixesOf(output);
  const outcomes = release.links.ofText(page, rendered);
  append(
    links,
    rendered.slots.map((slot, at) => [slot, outcomes[at]!] as const),
  );
  const urls = rendered.slots.map((slot, at) => writeSlot(slot, outcomes[at]!.url));
  const sizes = await readSizes(links, version);
  const home =
    meta.layout === 'home'
      ? await createSizedHomeModel(page, { resolve: follow, sizeOf: (file) => sizeOf(file, version) })
      : undefined;
  const { baseUrl } = site.settings;
  const surroundings = surroundPage(meta, {
    editUrl: site.editUrl(path),
    sourceUrl: site.sourceUrl(path),
    written: rendered.isReplaced ? undefined : version.dateOf(path, page.oid),
    address: baseUrl && baseUrl + pageAddress(site.releasePath(language.code, version.slug) + output),
    resolve: (slot) => follow(slot).url,
  });
  const canonical = rendered.isReplaced
    ? undefined
    : site.canonical({ languageCode: language.code, output, siteRoot: prefixes.siteRoot, isFallback });
  const languageCode = isFallback ? page.language.code : language.code;
  const alternates = canonical === undefined ? [] : site.alternates({ languageCode, output });
  const problem = describeProblem(rendered, path);
  const frame = frames.at(prefixes);
  const badges = version.badges?.find(source.version.ref.name, language.code, output);
  const markdownPath = release.markdown.get(output);
  const key = contentKey(
    frame.key,
    output,
    rendered.key,
    isFallback ? page.language.tag : '',
    `${canonical}\n${urls.join('\n')}`,
    alternates.map(({ tag, url }) => `${tag} ${url}`).join('\n'),
    JSON.stringify([...sizes]),
    JSON.stringify(surroundings),
    JSON.stringify([meta.layout, meta.visibility, meta.description, meta.hidesTitle, home]),
    problem ? JSON.stringify(problem) : '',
    badges ? JSON.stringify([...badges]) : '',
    markdownPath === undefined ? '' : 'markdown',
  );
  const make = composeLater({
    composer: site.tools.composer,
    renderer,
    frame,
    root: prefixes.root,
    page,
    rendered,
    urls,
    sizes,
    home,
    surroundings,
    canonical,
    alternates,
    problem,
    badges,
    markdown: markdownPath && `./${encodePath(markdownPath.slice(folderOf(markdownPath).length))}`,
  });
  return {
    page: { key, make },
    markdown:
      markdownPath === undefined
        ? undefined
        : { path: markdownPath, ...planMarkdown({ page, rendered, urls, home, canonical, renderer }, site.tools) },
    links,
    // The absolute address of its image names the version.
    isPortable: baseUrl === undefined || surroundings.image === undefined,
  };
}

/** Returns the sizes of a text's images, by the numbers of their slots. */
async function readSizes(links: PlannedPage['links'], version: VersionScope): Promise<ReadonlyMap<number, ImageSize>> {
  const sizes = new Map<number, ImageSize>();
  for (const [at, [{ kind }, { file }]] of links.entries()) {
    const size = kind === 'image' && file !== undefined ? await sizeOf(file, version) : undefined;
    if (size && !size.isProportion) sizes.set(at, size);
  }
  return sizes;
}

async function sizeOf(file: string, { blobOf, site }: VersionScope): Promise<ImageSize | undefined> {
  const oid = blobOf(file);
  return oid === undefined ? undefined : (await site.tools.assets.inspect(file, oid)).size;
}

function describeProblem({ isReplaced, errors }: RenderedPage, path: string): PageProblem | undefined {
  if (!isReplaced) return undefined;
  const { line, message } = errors[0]!;
  return { place: line > 0 ? `${path}:${line}` : path, message };
}
