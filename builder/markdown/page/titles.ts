/**
 * The words the renderer adds to a page, in English: titles of callouts that have none, by kind, and names for screen
 * readers. `RenderInput.titles` replaces any of them.
 */
export const DEFAULT_TITLES: Readonly<Record<string, string>> = {
  info: 'Info',
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
  danger: 'Danger',
  details: 'Details',
  toc: 'Contents',
  permalink: 'Permalink: ',
  footnotes: 'Footnotes',
  backToText: 'Back to text',
  code: 'Code',
  diagram: 'Diagram',
  diagramSource: 'Diagram source',
  yes: 'Yes',
  no: 'No',
};

/** Returns the page's word for a name, the English one where there is none, or the name itself with a capital letter. */
export function getTitle(titles: Readonly<Record<string, string>>, name: string): string {
  if (Object.hasOwn(titles, name)) return titles[name]!;
  if (Object.hasOwn(DEFAULT_TITLES, name)) return DEFAULT_TITLES[name]!;
  return name.charAt(0).toUpperCase() + name.slice(1);
}
