/** Copies text, which may still be on its way; returns whether it could. Rejects where the text does. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    if (typeof text === 'string') await navigator.clipboard.writeText(text);
    // Safari permits it only at the moment of the click.
    else await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text.then(toBlob) })]);
    return true;
  } catch {
    // Pages without https have no clipboard, but may copy what is selected.
    return copySelected(await text);
  }
}

function toBlob(text: string): Blob {
  return new Blob([text], { type: 'text/plain' });
}

function copySelected(text: string): boolean {
  const area = document.createElement('textarea');
  const { activeElement } = document;
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  (activeElement as HTMLElement | null)?.focus();
  return isCopied;
}
