import type { SiteStorage } from './site-storage.ts';

const NAME = 'tabs';
const MAX_NAMES = 9;

/** Lets a tab chosen in one group be chosen in all that have one of its name, on later pages, too: in all, or in those with the same `data-sync`. */
export function synchronizeTabs(storage: SiteStorage): void {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('.tab-input')];
  if (inputs.length === 0) return;
  for (const name of [...readNames(storage)].reverse()) choose(inputs, name);
  for (const input of inputs) {
    input.addEventListener('change', () => {
      const name = nameOf(input);
      const top = input.getBoundingClientRect().top;
      choose(inputs, name);
      scrollBy(0, input.getBoundingClientRect().top - top);
      const before = readNames(storage).filter((other) => other !== name);
      storage.write(NAME, [name, ...before].slice(0, MAX_NAMES));
    });
  }
}

function choose(inputs: readonly HTMLInputElement[], name: string): void {
  for (const input of inputs) if (nameOf(input) === name) input.checked = true;
}

/** Groups that their author has joined are apart from all others. */
function nameOf(input: HTMLInputElement): string {
  const key = input.closest<HTMLElement>('.tabs')?.dataset.sync;
  const title = input.nextElementSibling?.textContent ?? '';
  return key === undefined ? title : `${key}: ${title}`;
}

/** Returns the names chosen before, the latest first. */
function readNames(storage: SiteStorage): readonly string[] {
  const names = storage.read(NAME);
  return Array.isArray(names) ? names.slice(0, MAX_NAMES) : [];
}
