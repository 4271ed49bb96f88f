import { escapeText } from '../../lib/html-text.ts';

/** A line of a chart. */
export interface Line {
  readonly label: string;
  /** Class of its colour: `a` to `d`. */
  readonly color: string;
  /** x and y of its points, ascending by x. */
  readonly points: readonly (readonly [number, number])[];
}

/** One of the charts that stand side by side; y is logarithmic, in ms. */
export interface Panel {
  readonly title: string;
  readonly xLabel: string;
  readonly xTicks: readonly number[];
  readonly lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [420, 320];
const BOX = { left: 62, right: 20, top: 76, bottom: 52 };
/** Colours that can be told apart by people with any colour vision (Okabe and Ito), darker on light ground. */
const STYLE = `.ground{fill:#fff;stroke:#d7dae0}text{font:12px system-ui,sans-serif;fill:#3b4048}.title{font-weight:600;font-size:13.5px;fill:#1d2127}
.grid{stroke:#e3e5ea}.line{fill:none;stroke-width:2.25;stroke-linejoin:round}.a{stroke:#0b6bb0;fill:#0b6bb0}.b{stroke:#b35900;fill:#b35900}.c{stroke:#a3336f;fill:#a3336f}.d{stroke:#00795a;fill:#00795a}
@media (prefers-color-scheme:dark){.ground{fill:#1b1e24;stroke:#3a3f49}text{fill:#c3c8d0}.title{fill:#eceef2}.grid{stroke:#32363f}.a{stroke:#64b5f0;fill:#64b5f0}.b{stroke:#f0a94a;fill:#f0a94a}.c{stroke:#e58fbd;fill:#e58fbd}.d{stroke:#4ecda5;fill:#4ecda5}}
.line{fill:none}.key{stroke:none}`;

/** Returns an SVG document of charts side by side, which is readable on light and dark ground; `title` says what it shows. */
export function drawChart(title: string, panels: readonly Panel[]): string {
  const width = WIDTH * panels.length;
  const body = panels.map((panel, i) => `<g transform="translate(${WIDTH * i} 0)">${drawPanel(panel)}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
<rect class="ground" x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="8"/>
${body.join('\n')}
</svg>
`;
}

function drawPanel({ title, xLabel, xTicks, lines }: Panel): string {
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => y));
  const [xLow, xHigh] = [Math.min(...xs), Math.max(...xs)];
  const [yLow, yHigh] = [Math.floor(Math.log10(Math.min(...ys))), Math.ceil(Math.log10(Math.max(...ys)))];
  const placeX = (x: number): number =>
    round(BOX.left + ((x - xLow) / (xHigh - xLow)) * (WIDTH - BOX.left - BOX.right));
  const placeY = (y: number): number =>
    round(HEIGHT - BOX.bottom - ((Math.log10(y) - yLow) / (yHigh - yLow)) * (HEIGHT - BOX.top - BOX.bottom));
  const parts = [`<text class="title" x="${BOX.left}" y="28">${escapeText(title)}</text>`];
  for (let power = yLow; power <= yHigh; power++) {
    const y = placeY(10 ** power);
    parts.push(`<path class="grid" d="M${BOX.left} ${y}H${WIDTH - BOX.right}"/>`);
    parts.push(`<text x="${BOX.left - 8}" y="${y + 4}" text-anchor="end">${formatMs(10 ** power)}</text>`);
  }
  for (const tick of xTicks) {
    parts.push(`<text x="${placeX(tick)}" y="${HEIGHT - BOX.bottom + 18}" text-anchor="middle">${tick}</text>`);
  }
  parts.push(
    `<text x="${(BOX.left + WIDTH - BOX.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">${escapeText(xLabel)}</text>`,
  );
  for (const [i, { label, color, points }] of lines.entries()) {
    const path = points.map(([x, y]) => `${placeX(x)} ${placeY(y)}`).join('L');
    parts.push(`<path class="line ${color}" d="M${path}"/>`);
    for (const [x, y] of points)
      parts.push(`<circle class="key ${color}" cx="${placeX(x)}" cy="${placeY(y)}" r="2.75"/>`);
    const [x, y] = [BOX.left + (i % 2) * 168, 46 + Math.floor(i / 2) * 18];
    parts.push(`<rect class="key ${color}" x="${x}" y="${y - 5}" width="14" height="4" rx="2"/>`);
    parts.push(`<text x="${x + 20}" y="${y}">${escapeText(label)}</text>`);
  }
  return parts.join('\n');
}

function formatMs(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
