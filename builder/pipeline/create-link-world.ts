import { pageAddress } from '../compose/navigation.ts';
import type { LinkWorld } from '../links/create-link-resolver.ts';
import type { Page } from '../source/collect-pages.ts';
import type { ReleaseInput } from './plan-release.ts';

/** Gives what links are resolved against: the pages `shown` in a release, for text written in one language. */
export function createLinkWorld(
  input: ReleaseInput,
  shown: ReadonlyMap<string, Page>,
  textLanguageKey: string | undefined,
): LinkWorld {
  const own = input.language.language;
  return {
    ...input.world,
    sourceFolder: input.sourceFolder,
    findPage(file) {
      if (!file.startsWith(input.sourceFolder)) return undefined;
      const page = input.tree.pageOfFile.get(file.slice(input.sourceFolder.length));
      if (!page) return undefined;
      const here = page.language.key === textLanguageKey || page.language.key === own.key;
      const target = (here && shown.get(page.output)) || page;
      const isHere = here && shown.has(page.output);
      const address = pageAddress(page.output);
      return {
        address: isHere ? address : pageAddress(input.releasePath(page.language.code)) + address,
        isElsewhere: !isHere,
        ids: input.rendered.get(target.file)?.idSet,
      };
    },
    placeFile: (file) => input.assets.address(file, own.key),
    hostUrl: (path, isFolder) => input.host?.view(path, isFolder),
  };
}
