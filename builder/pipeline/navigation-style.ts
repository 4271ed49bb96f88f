import type { NavigationPage, NavigationStyle } from '../compose/navigation.ts';
import type { Generator } from '../model.ts';
import { findNumber } from '../source/page-address.ts';

const STYLES: Readonly<Partial<Record<Generator, NavigationStyle>>> = {
  docusaurus: {
    isMixed: true,
    noteOf(path) {
      const name = path.split('/').at(-2)!;
      const number = findNumber(name);
      return { title: undefined, order: number };
    },
  },
  hugo: { isMixed: true, isByTitle: true, hidesBelow: true },
  jekyll: { isMixed: true, isByTitle: true, hidesBelow: true },
  starlight: { isMixed: true, takesLowest: true },
  zola: { isMixed: true },
};

/** Returns how a generator shows the folders of its pages. */
export function styleOf(generator: Generator | undefined): NavigationStyle {
  return (generator && STYLES[generator]) ?? {};
}

/** Returns the position of a page among its neighbours, to Docusaurus also the number its name begins with. */
export function orderOfPage(
  order: number | undefined,
  place: string,
  generator: Generator | undefined,
): NavigationPage['order'] {
  return order ?? (generator === 'docusaurus' ? findNumber(place.slice(place.lastIndexOf('/') + 1)) : undefined);
}
