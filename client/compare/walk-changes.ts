/** The way from change to change. */
export interface Walk {
  /** Goes to the next change, or with -1 to the one before. */
  step(by: 1 | -1): void;
}

/** Marks what belongs to the change at hand, brings it into sight and gives it the focus. `show` is told its number. */
export function walkChanges(content: HTMLElement, total: number, show: (number: number) => void): Walk {
  let current = 0;
  const find = (number: number): readonly HTMLElement[] => [
    ...content.querySelectorAll<HTMLElement>(`[data-change="${number}"]`),
  ];
  return {
    step(by) {
      if (total === 0) return;
      const first = by > 0 ? findBelow() : total;
      const number = current === 0 ? first : ((current - 1 + by + total) % total) + 1;
      for (const element of find(current)) element.classList.remove('compare-current');
      const elements = find(number);
      for (const element of elements) element.classList.add('compare-current');
      current = number;
      show(number);
      const [target] = elements;
      if (!target) return;
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      target.scrollIntoView({ block: target.offsetHeight > innerHeight / 2 ? 'start' : 'center' });
    },
  };

  /** The first change that is not above what is read. */
  function findBelow(): number {
    for (const element of content.querySelectorAll<HTMLElement>('[data-change]')) {
      if (element.getBoundingClientRect().bottom > 0) return Number(element.dataset['change']);
    }
    return 1;
  }
}
