/** A reader's verdict on a page. */
interface Answer {
  readonly answer: string;
  /** The page's URL, without query and hash. */
  readonly url: string;
  readonly title: string;
  readonly language: string;
}

/**
 * Lets readers say whether the page was helpful. The answer is an event of the document, `docbuild:feedback`, for a script of the
 * project's; where the project has an address for it, that is opened. Nothing is requested before.
 */
export function setUpFeedback(): void {
  const group = document.querySelector<HTMLElement>('main > [data-feedback]');
  const { feedback, thanks } = group?.dataset ?? {};
  if (!group || feedback === undefined || thanks === undefined) return;
  group.hidden = false;
  for (const button of group.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      const detail: Answer = {
        answer: button.value,
        url: location.origin + location.pathname,
        title: document.title,
        language: document.documentElement.lang,
      };
      document.dispatchEvent(new CustomEvent('docbuild:feedback', { detail }));
      if (feedback !== 'event') open(fillIn(feedback, detail), '_blank', 'noopener');
      // The status keeps its place, and the keyboard continues from there.
      const status = group.querySelector<HTMLElement>('[role="status"]')!;
      for (const other of group.querySelectorAll('button')) other.remove();
      status.textContent = thanks;
      status.tabIndex = -1;
      status.focus();
    });
  }
}

/** Fills `{answer}` and the like into a URL; what is not known stays as it is. */
function fillIn(template: string, detail: Answer): string {
  return template.replace(/\{(answer|url|title|language)\}/g, (_, name: keyof Answer) =>
    encodeURIComponent(detail[name]),
  );
}
