import test from 'ava';
import { selectAll } from 'css-select';
import { parseDocument } from 'htmlparser2';
import { drawChart } from '../../../bench/simulate/draw-chart.ts';

test('chart: a line goes through its points, on a logarithmic scale, and names what it shows', (t) => {
  const lines = [
    {
      label: 'a < b',
      color: 'a',
      points: [
        [20, 10],
        [110, 100],
        [200, 1_000],
      ] as const,
    },
  ];
  const svg = drawChart('Waiting & more', [{ title: 'Wait', xLabel: 'nodes', xTicks: [20, 200], lines }]);
  const document = parseDocument(svg, { xmlMode: true });
  t.regex(svg, /<title>Waiting &amp; more<\/title>/);
  t.true(svg.includes('>a &lt; b</text>'));
  const centers = selectAll('circle', document.children).map((node) => {
    const { cx, cy } = (node as { attribs: Record<string, string> }).attribs;
    return [Number(cx), Number(cy)] as const;
  });
  t.is(centers.length, 3);
  const [first, middle, last] = centers;
  t.is(middle![0] - first![0], last![0] - middle![0]);
  t.true(Math.abs(first![1] - middle![1] - (middle![1] - last![1])) < 0.2);
  t.true(first![1] > last![1], 'more is higher');
});
