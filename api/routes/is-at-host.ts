/** Tells whether a `Host` header, as `parseHost` gives it, names the host and port of an address; usual ports may be left out. */
export function isAtHost({ protocol, host }: URL, header: string): boolean {
  const asked = `${protocol}//${header}`;
  return header !== '' && URL.canParse(asked) && new URL(asked).host === host;
}
