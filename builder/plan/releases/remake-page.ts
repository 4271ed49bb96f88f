import { isDeepStrictEqual } from 'node:util';
import type { LiveContent } from '../../publish/live-output.ts';
import type { Page } from '../../source/pages/collect-pages.ts';
import { describeSource } from '../pages/render-versions.ts';
import type { PathFinder } from '../versions/version-source.ts';
import { planPage, type ReleaseScope } from './plan-page.ts';

/** A page whose text has changed, with the key that it will have when the release is planned again. */
export interface RemadePage extends LiveContent {
  /** Path in its release. */
  readonly output: string;
}

/**
 * Makes a page after its file has changed, given by its path, as everything else stands: `find` finds files as they are now. Returns
 * undefined where the file is no page of the release, or more of the page changes than its text.
 */
export type RemakePage = (path: string, find: PathFinder) => Promise<RemadePage | undefined>;

/** `files` are those that are published with the release. */
export function createRemake(release: ReleaseScope, pages: readonly Page[], files: ReadonlySet<string>): RemakePage {
  const { source, rendered, tree, renderer } = release.version;
  return async (path, find) => {
    const page = pages.find(({ file, isFallback }) => !isFallback && source.realPath(file) === path);
    const known = page && rendered.get(page.file);
    const isMade = page && tree.files.get(page.file)?.isMade;
    if (!page || !known || isMade || source.evergreen || page.meta.redirectTo || known.isReplaced) return undefined;
    const entry = await find(path);
    if (entry?.kind !== 'file' || entry.path !== path) return undefined;
    const changed = { ...page, oid: entry.oid };
    const meta = await renderer.readMeta(changed.oid, source.generator);
    if (!isDeepStrictEqual(meta, await renderer.readMeta(page.oid, source.generator))) return undefined;
    const { page: text, finished } = await renderer.render(describeSource(source, changed, find));
    await finished;
    const { isReplaced, title, extras } = text;
    if (isReplaced || title !== known.title || !isDeepStrictEqual(extras, known.extras)) return undefined;
    const planned = await planPage(changed, text, release);
    const hasNewFile = planned.links.some(([, { file }]) => file !== undefined && !files.has(file));
    return hasNewFile ? undefined : { output: page.output, ...planned.page };
  };
}
