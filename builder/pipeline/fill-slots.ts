/** Puts addresses into a fragment's HTML; see `Fragment`. */
export function fillSlots(html: string, urls: readonly string[]): string {
  const parts = html.split('\0');
  let filled = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) filled += escapeAttribute(urls[Number(parts[i])] ?? '') + parts[i + 1]!;
  return filled;
}

function escapeAttribute(text: string): string {
  return /[&"<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text;
}
