const KEY = 'docbuild-tabs';

/** Lets a tab chosen in one group be chosen in all that have one of its name, on later pages, too. */
export function synchronizeTabs(): void {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('.tab-input')];
  if (inputs.length === 0) return;
  for (const name of readNames().reverse()) choose(inputs, name);
  for (const input of inputs) {
    input.addEventListener('change', () => {
      const name = nameOf(input);
      const top = input.getBoundingClientRect().top;
      choose(inputs, name);
      scrollBy(0, input.getBoundingClientRect().top - top);
      try {
        localStorage.setItem(KEY, JSON.stringify([name, ...readNames().filter((other) => other !== name)].slice(0, 9)));
      } catch {
        // The choice then holds for this page only.
      }
    });
  }
}

function choose(inputs: readonly HTMLInputElement[], name: string): void {
  for (const input of inputs) if (nameOf(input) === name) input.checked = true;
}

function nameOf(input: HTMLInputElement): string {
  return input.nextElementSibling?.textContent ?? '';
}

/** Returns the names chosen before, the latest first. */
function readNames(): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}
