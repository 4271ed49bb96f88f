import { createRegion, type Region, type RegionDatabase } from './region.ts';

const ISO = /^[A-Z]{2}$/;
/** Parts of the index that are checked before a database is used. */
const SAMPLES = 512;

/**
 * Opens an `.xdb` file of ip2region, version 2 or 3. Throws an error that says what is wrong with a damaged file. Memory: the
 * file.
 */
export async function openXdb(bytes: Buffer): Promise<RegionDatabase> {
  const { Header, HeaderInfoLength, VectorIndexCols, VectorIndexRows, VectorIndexSize, ...xdb } = await import(
    'ip2region.js'
  );
  const vectors = VectorIndexRows * VectorIndexCols;
  const dataStart = HeaderInfoLength + vectors * VectorIndexSize;
  if (bytes.length < dataStart) throw new Error('it is too short to be an .xdb file');
  const header = new Header(bytes.subarray(0, HeaderInfoLength));
  const version = xdb.versionFromHeader(header);
  if (!version) throw new Error('it is not an .xdb file of version 2 or 3');
  const check = (isRight: boolean): void => {
    if (!isRight) throw new Error('its index points outside the file');
  };
  const isBlock = (pointer: number): boolean => pointer >= dataStart && pointer + version.indexSize <= bytes.length;
  check(isBlock(header.startIndexPtr) && isBlock(header.endIndexPtr) && header.startIndexPtr <= header.endIndexPtr);
  for (let at = HeaderInfoLength; at < dataStart; at += VectorIndexSize) {
    const start = bytes.readUInt32LE(at);
    const end = bytes.readUInt32LE(at + 4);
    check((start === 0 && end === 0) || (isBlock(start) && start <= end && end <= bytes.length));
  }
  const blocks = Math.floor((header.endIndexPtr - header.startIndexPtr) / version.indexSize);
  for (let i = 0; i <= blocks; i += Math.max(1, Math.floor(blocks / SAMPLES))) {
    const block = header.startIndexPtr + i * version.indexSize + 2 * version.bytes;
    check(bytes.readUInt32LE(block + 2) + bytes.readUInt16LE(block) <= bytes.length);
  }

  const searcher = xdb.newWithBuffer(version, bytes);
  const ipVersion = version.bytes === 4 ? 4 : 6;
  return {
    versions: new Set([ipVersion]),
    async find({ bytes: address, version: asked }) {
      if (asked !== ipVersion) return undefined;
      const text = await searcher.search(Buffer.from(address));
      return text === '' ? undefined : parseRegion(text, header.version);
    },
  };
}

/** Parses `Country|Province|City|ISP|iso2` or, as in most files of version 2, `Country|Area|Province|City|ISP`. */
function parseRegion(text: string, structure: number): Region {
  const fields = text.split('|');
  const last = fields[4];
  const hasArea = last !== undefined && !ISO.test(last) && (structure === 2 || (last !== '0' && last !== ''));
  const [country, province, city, isp] = hasArea ? [fields[0], ...fields.slice(2)] : fields;
  return createRegion({ country, province, city, isp });
}
