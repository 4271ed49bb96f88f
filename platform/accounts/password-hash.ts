/** What scrypt is asked for (RFC 7914). Memory is 128 · 2^ln · r bytes. */
export interface ScryptParameters {
  /** N is 2 to the power of it. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** A kept password: parameters, salt and hash. */
export interface PasswordHash extends ScryptParameters {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
/** Nothing that a damaged or foreign file holds makes one check last for minutes: 1 GiB at most. */
const MAX = { ln: 20, r: 8, p: 16 } as const;

/** Gives the text of a kept password in PHC's string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. */
export function formatPasswordHash({ ln, r, p, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`;
}

/** Reads what `formatPasswordHash` gave; undefined for anything else. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const found = FORMAT.exec(text);
  if (!found) return undefined;
  const [ln, r, p] = found.slice(1, 4).map(Number) as [number, number, number];
  if (ln < 1 || ln > MAX.ln || r < 1 || r > MAX.r || p < 1 || p > MAX.p) return undefined;
  return { ln, r, p, salt: Buffer.from(found[4]!, 'base64'), hash: Buffer.from(found[5]!, 'base64') };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
