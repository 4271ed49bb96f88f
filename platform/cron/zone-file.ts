/** The abbreviations of a time zone. */
export interface ZoneFile {
  /** Returns the abbreviation in use at an instant, if the file agrees about the offset; both in milliseconds. */
  readonly findName: (instant: number, offset: number) => string | undefined;
}

interface Header {
  /** Where the data begins. */
  readonly start: number;
  readonly counts: { isUtc: number; isStandard: number; leaps: number; times: number; types: number; letters: number };
}

interface TimeType {
  readonly offset: number;
  readonly name: string;
}

/** Parses a compiled time zone: TZif of version 2 or later, RFC 9636. Throws for anything else. */
export function parseZoneFile(bytes: Buffer): ZoneFile {
  const old = readHeader(bytes, 0);
  const { isUtc, isStandard, leaps, times, types, letters } = old.counts;
  const { start, counts } = readHeader(
    bytes,
    old.start + times * 5 + types * 6 + letters + leaps * 8 + isStandard + isUtc,
  );
  const indexesAt = start + counts.times * 8;
  const typesAt = indexesAt + counts.times;
  const lettersAt = typesAt + counts.types * 6;
  const footerAt = lettersAt + counts.letters + counts.leaps * 12 + counts.isStandard + counts.isUtc;
  const changes = Array.from({ length: counts.times }, (_, i) => Number(bytes.readBigInt64BE(start + i * 8)) * 1000);
  const known = Array.from({ length: counts.types }, (_, i): TimeType => {
    const nameAt = lettersAt + bytes.readUInt8(typesAt + i * 6 + 5);
    const name = bytes.toString('latin1', nameAt, bytes.indexOf(0, nameAt));
    return { offset: bytes.readInt32BE(typesAt + i * 6) * 1000, name };
  });
  const later = parseFooter(bytes.toString('latin1', footerAt).trim());
  return {
    findName(instant, offset) {
      const index = changes.findLastIndex((change) => change <= instant);
      const typeIndex = index === -1 ? 0 : bytes.readUInt8(indexesAt + index);
      const candidates = index === changes.length - 1 ? [...later, known[typeIndex]] : [known[typeIndex]];
      return candidates.find((type) => type?.offset === offset)?.name;
    },
  };
}

function readHeader(bytes: Buffer, at: number): Header {
  if (bytes.toString('latin1', at, at + 4) !== 'TZif' || bytes.readUInt8(at + 4) < 0x32) {
    throw new TypeError('A time zone file of version 2 or later begins with "TZif"');
  }
  const [isUtc, isStandard, leaps, times, types, letters] = [0, 1, 2, 3, 4, 5].map((i) =>
    bytes.readUInt32BE(at + 20 + i * 4),
  );
  return {
    start: at + 44,
    counts: { isUtc: isUtc!, isStandard: isStandard!, leaps: leaps!, times: times!, types: types!, letters: letters! },
  };
}

/** Parses the abbreviations for the future: `EST5EDT,M3.2.0,M11.1.0`, `<+1030>-10:30<+11>-11,…`; the default for the second is an hour ahead. */
function parseFooter(text: string): readonly TimeType[] {
  const match = /^(<[\w+-]+>|[A-Za-z]+)([+-]?[\d:]+)(?:(<[\w+-]+>|[A-Za-z]+)([+-]?[\d:]+)?)?(?:,|$)/.exec(text);
  if (!match) return [];
  const [, name, west, otherName, otherWest] = match;
  const offset = parseWest(west!);
  const standard = { offset, name: name!.replace(/[<>]/g, '') };
  if (otherName === undefined) return [standard];
  const other = otherWest === undefined ? offset + 3_600_000 : parseWest(otherWest);
  return [standard, { offset: other, name: otherName.replace(/[<>]/g, '') }];
}

/** Parses hours, minutes and seconds west of Greenwich; returns milliseconds east of it. */
function parseWest(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const size = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return text.startsWith('-') ? size : -size;
}
