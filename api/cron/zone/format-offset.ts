/** Returns an offset (milliseconds) as it serves for a zone's name: `+08`, `-0330`. */
export function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${rest}`;
}
