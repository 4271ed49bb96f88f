import { trimSigns } from '../../../lib/trim-signs.ts';
import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import { map, own, text } from '../text/data-values.ts';
import {
  createNavBuilder,
  type GeneratorNavigation,
  listScripts,
  type NavItem,
  type NavigationFormat,
  noteUnreadable,
  plainText,
  readCollapsed,
  readList,
  readTranslations,
} from './navigation-items.ts';
import type { Place } from './parse-script.ts';
import { readScript, type ScriptData } from './script-data.ts';

/** Starlight: the sidebar in Astro's configuration. */
export const starlight: NavigationFormat = {
  listFiles: ({ home }) => listScripts(`${home}astro.config`),
  async read(file, _site, read) {
    const script = await readScript(file, read);
    return script ? readStarlightSidebar(script) : noteUnreadable(file);
  },
};

/** Reads Starlight's sidebar from a configuration of Astro. Returns undefined if there is none. */
function readStarlightSidebar(script: ScriptData): GeneratorNavigation | undefined {
  const builder = createNavBuilder();
  const options = script
    .argumentsOfCalls('@astrojs/starlight')
    .map(map)
    .find((found) => found && own(found, 'sidebar') !== undefined);
  if (!options) return undefined;
  const items = readItems(own(options, 'sidebar'), 0, script.placeOf(options));
  return { languages: { '': items }, isComplete: builder.isComplete, notes: builder.notes };

  function readItems(value: unknown, depth: number, where: Place): readonly NavItem[] {
    return readList(value, { script, builder }, where, (item, place) => {
      if (typeof item === 'string')
        return builder.add({ title: undefined, target: target(item), children: [], place }, depth);
      const data = map(item);
      if (!data) {
        builder.skip(place, 'An entry of the navigation is computed; its pages are shown at the end');
        return [];
      }
      const path = text(own(data, 'slug')) ?? text(own(data, 'link'));
      const generated = map(own(data, 'autogenerate'));
      const title = plainText(own(data, 'label'));
      const translations = readTranslations(own(data, 'translations'));
      const inside = generated
        ? listFolder(generated, depth + 1, place)
        : readItems(own(data, 'items'), depth + 1, place);
      const isCollapsed = readCollapsed(data);
      const isBare = generated !== undefined && title === undefined;
      if (isBare) return inside;
      return builder.add(
        {
          title,
          translations,
          target: path === undefined ? undefined : target(path),
          children: inside,
          isCollapsed,
          place,
        },
        depth,
      );
    });
  }

  function listFolder(data: NonNullable<ReturnType<typeof map>>, depth: number, place: Place): readonly NavItem[] {
    const folder = trimSigns((text(own(data, 'directory')) ?? '').replace(/^\.?\//, ''), '/');
    return builder.add({ title: undefined, children: [], folder: folder === '' ? '' : `${folder}/`, place }, depth);
  }
}

/** `''` and `index` are the home. */
function target(path: string): NavItem['target'] {
  return { kind: 'address', path: isAbsoluteUrl(path) || path.startsWith('/') ? path : `/${path}` };
}
