import { type FoundDescription, findNewest } from './button/description.ts';
import { addressOf, chooseVersions, nameVersion } from './compare/versions.ts';
import { createElement } from './create-element.ts';

/** The exports of the script that is loaded when a reader compares. */
interface CompareModule {
  open(): Promise<void>;
}

/** The header's switches, which know the script and its words. */
function readWords(): readonly [script: string, words: string, failed: string] | undefined {
  const bar = document.querySelector<HTMLElement>('body > .site-header .switches[data-compare]');
  return bar ? (bar.dataset['compare']!.split('|') as [string, string, string]) : undefined;
}

/** Compares the page with the version that `?compare=` in the address names. */
export function openComparison(): void {
  const [script, , failed] = readWords() ?? [];
  if (!script || !failed || !new URLSearchParams(location.search).has('compare')) return;
  const load = async (): Promise<void> => {
    const { open } = (await import(new URL(script, document.baseURI).href)) as CompareModule;
    await open();
  };
  load().catch(() => {
    document.querySelector('#_content')!.prepend(createElement('p', { class: 'notice', role: 'alert' }, failed));
  });
}

/** Creates the link "Compare with v1.2" of the menus; undefined where there is nothing to compare with. */
export function createCompareLink(description: FoundDescription): HTMLElement | undefined {
  const [, words] = readWords() ?? [];
  if (!words) return undefined;
  try {
    const chosen = chooseVersions(description, findNewest(description));
    const address = chosen && addressOf(description, chosen);
    if (!address) return undefined;
    const other = chosen[chosen.to === description.here.version ? 'from' : 'to'];
    return createElement(
      'a',
      { href: address },
      words.replace('{version}', () => nameVersion(description, other)),
    );
  } catch {
    // Nobody has checked the description: the menu says what is wrong with it.
    return undefined;
  }
}
