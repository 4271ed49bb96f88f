import Negotiator from 'negotiator';
import { COMPRESSIONS, type Compression } from '../../lib/body-compression.ts';
import { memoize } from '../../lib/bounded-map.ts';

/** A content coding of answers. */
export type Coding = Compression | 'identity';

const MAX_FIELD_LENGTH = 512;
const MAX_FIELDS = 256;

/** Browsers send a handful of different fields. */
const negotiateKnown = memoize((field) => {
  const headers = { 'accept-encoding': field };
  // The types lack the option, which decides between equal weights.
  const negotiator = new Negotiator({ headers }) as unknown as {
    encodings(offered: readonly Coding[], options: { readonly preferred: readonly Coding[] }): readonly Coding[];
  };
  return negotiator.encodings([...COMPRESSIONS, 'identity'], { preferred: COMPRESSIONS });
}, MAX_FIELDS);

/**
 * Returns the codings that an `Accept-Encoding` field (RFC 9110) accepts, the best first: only identity without a field, or
 * for one above 512 characters.
 */
export function negotiateCodings(field: string | undefined): readonly Coding[] {
  return negotiateKnown(field === undefined || field.length > MAX_FIELD_LENGTH ? '' : field);
}
