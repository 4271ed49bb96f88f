/**
 * Draws the diagrams of a page, which load it; all others do not. Their source stays, folded, for everybody who would rather
 * read it; without this script it is open. Parts of the library that a kind of diagram needs are loaded with the first of it.
 */
import mermaid from 'mermaid';

const systemIsDark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
/** Colours near those of the theme; the library calculates the others from them. */
const LIGHT = {
  ...paint(['#dbe7fd', '#d7f0e1', '#ecdffb', '#fdeccb', '#fbdcdf', '#d9eef2'], '#1f2530'),
  background: '#ffffff',
  primaryColor: '#e8effc',
  primaryBorderColor: '#2257c5',
  secondaryColor: '#e9f5ee',
  tertiaryColor: '#f6f7f9',
  lineColor: '#566072',
  noteBkgColor: '#fdf6e3',
};
const DARK = {
  ...paint(['#2a4172', '#1d5138', '#4b3471', '#5c461a', '#6a2b33', '#1f4c57'], '#eef1f6'),
  darkMode: true,
  background: '#14171d',
  primaryColor: '#25304a',
  primaryBorderColor: '#8ab4ff',
  secondaryColor: '#1f3a2c',
  tertiaryColor: '#1f242d',
  lineColor: '#9ba6b7',
  noteBkgColor: '#3a3320',
};

/** Returns the colours of parts that differ by nothing else (slices, branches of a tree, sections), and of all texts. */
function paint(colors: readonly string[], text: string): Record<string, string> {
  const parts = Array.from({ length: 12 }, (_, at) => [
    [`cScale${at}`, colors[at % colors.length]],
    [`cScaleLabel${at}`, text],
    [`pie${at + 1}`, colors[at % colors.length]],
  ]).flat();
  const texts = ['textColor', 'primaryTextColor', 'noteTextColor', 'pieSectionTextColor', 'pieTitleTextColor'];
  return Object.fromEntries([...parts, ...texts.map((name) => [name, text])]);
}

/** Diagrams are drawn one after the other; those of an earlier theme, or of a body that has been replaced, no longer count. */
let drawing = 0;
let drawnDark: boolean | undefined;

/** Throws what is wrong with a diagram. */
export const parse = mermaid.parse;

// The build, which parses with this script, has no document.
if (systemIsDark) {
  // A module runs before this; the preview says it again when it has replaced the body.
  document.addEventListener('DOMContentLoaded', drawAll);
  systemIsDark.addEventListener('change', followTheme);
  new MutationObserver(followTheme).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

function followTheme(): void {
  if (drawnDark !== undefined && isDark() !== drawnDark) drawAll();
}

async function drawAll(): Promise<void> {
  const own = ++drawing;
  drawnDark = isDark();
  mermaid.initialize({
    startOnLoad: false,
    // Labels are text, and nothing in them is clicked or run.
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: 'base',
    themeVariables: drawnDark ? DARK : LIGHT,
    fontFamily: getComputedStyle(document.body).fontFamily,
    // The library's own layout is as large as all else together.
    layout: 'dagre',
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'layout'],
  });
  for (const [index, diagram] of [...document.querySelectorAll<HTMLElement>('.diagram')].entries()) {
    await draw(diagram, `_diagram-${index + 1}`, () => own === drawing);
    if (own !== drawing) return;
  }
}

/** Draws a diagram above its source, or says why not. */
async function draw(diagram: HTMLElement, id: string, isCurrent: () => boolean): Promise<void> {
  const details = diagram.querySelector('details');
  const source = diagram.querySelector('code')?.textContent ?? '';
  if (!details) return;
  const shown = document.createElement('div');
  let isDrawn = true;
  try {
    // A diagram for a dark page is printed on a white one.
    shown.className = `diagram-picture ${drawnDark ? 'dark' : 'light'}`;
    shown.innerHTML = (await mermaid.render(id, source)).svg;
    nameSvg(shown.querySelector('svg'), diagram.dataset.label ?? '');
  } catch (error) {
    isDrawn = false;
    shown.className = 'diagram-error';
    shown.lang = 'en';
    shown.dir = 'ltr';
    shown.textContent = error instanceof Error ? error.message : String(error);
  }
  if (!isCurrent()) return;
  // Drawn again, it stays as its reader has left it.
  if (details.previousElementSibling) details.previousElementSibling.remove();
  else if (isDrawn) details.open = false;
  details.before(shown);
}

/** Authors name a diagram with `accTitle`. */
function nameSvg(svg: SVGElement | null, label: string): void {
  if (svg && !svg.hasAttribute('aria-labelledby')) svg.setAttribute('aria-label', label);
}

function isDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === 'dark' || (colorScheme !== 'light' && systemIsDark.matches);
}
