import encodeQR from 'qr';

/** White modules around the symbol, as ISO/IEC 18004 asks for. */
const QUIET = 4;

/** Draws a QR code as SVG, black on white whatever is behind it. */
export function drawQrCode(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  const { length: size } = rows;
  const path = rows.map((row, y) => drawRow(row, y)).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`
  );
}

/** Draws the dark modules of a row, those side by side as one. */
function drawRow(row: readonly boolean[], y: number): string {
  const dark = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...dark.matchAll(/1+/g)]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join('');
}
