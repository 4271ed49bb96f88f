/** The verdict on a tree entry's name: accept it, skip it with a warning, or refuse the whole ref. */
export type NameVerdict =
  | { readonly verdict: 'ok' }
  | { readonly verdict: 'skip'; readonly why: string }
  | { readonly verdict: 'refuse'; readonly why: string };

const OK: NameVerdict = { verdict: 'ok' };

/** Invisible characters: zero-width ones, direction marks, soft hyphen, BOM, tags. Some file systems drop them. */
const INVISIBLE = /\u034F|[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;
/** Zero-width joiner and non-joiner: Persian, Indic languages and emoji are written with them. */
const JOINERS = /[\u200C\u200D]/g;
/** C0 and C1 control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const CONTROL = /[\u0000-\u001F\u007F-\u009F]/;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
const MAX_NAME_BYTES = 240;
/** Most names: nothing in them is folded, and none of them is that of a git directory, which begins with a dot or has a tilde. */
const PLAIN = /^[\w-](?:[\w.-]{0,98}[\w-])?$/;

/**
 * Judges one name of a tree. Names that lead out of the folder or into a git directory cannot come from an honest
 * client, so the ref is refused; names that some file systems do not support are skipped, so that a site is the same
 * everywhere.
 */
export function judgeEntryName(name: string): NameVerdict {
  if (PLAIN.test(name) && !DEVICE.test(name)) return OK;
  if (name === '' || name === '.' || name === '..') return refuse('it points outside its folder');
  if (name.includes('/') || name.includes('\0')) return refuse('it contains a path separator or a NUL');
  if (isGitDirectory(name)) return refuse('it names a git directory on some systems');
  if (name.includes('\\')) return skip('it contains a backslash');
  if (CONTROL.test(name)) return skip('it contains a control character');
  if (/^[a-z]:/i.test(name) || /[<>:"|?*]/.test(name))
    return skip('it contains a character that some systems do not allow');
  if (DEVICE.test(name)) return skip('it is the name of a device on Windows');
  if (/[ .]$/.test(name)) return skip('it ends in a space or a dot');
  if (name.search(INVISIBLE) >= 0) return skip('it contains an invisible character');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return skip(`it is longer than ${MAX_NAME_BYTES} bytes`);
  return OK;
}

/** Returns a form that is equal for names that some file system treats as the same. */
export function foldName(name: string): string {
  return name.replace(INVISIBLE, '').replace(JOINERS, '').normalize('NFC').toLowerCase();
}

/** Returns whether HFS+, NTFS or a case-insensitive file system would treat the name as `.git`. */
function isGitDirectory(name: string): boolean {
  const folded = foldName(name).normalize('NFKC').toLowerCase();
  return /^(?:\.git|git~[0-9])(?:[ .]*$|:|\\)/.test(folded);
}

function skip(why: string): NameVerdict {
  return { verdict: 'skip', why };
}

function refuse(why: string): NameVerdict {
  return { verdict: 'refuse', why };
}
