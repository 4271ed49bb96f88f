const MAX_LENGTH = 2000;
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Checks whether an `Accept` field (RFC 9110) asks for JSON rather than for a picture (a JPEG): where it names JSON, by
 * weights, JSON on equal ones. Whoever accepts anything, or says nothing, gets the picture.
 */
export function prefersJson(accept: string): boolean {
  if (accept === '' || accept.length > MAX_LENGTH) return false;
  const weights = new Map<string, number>();
  for (const member of accept.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (WEIGHT.test(weight)) weights.set(name, Math.max(Number(weight), weights.get(name) ?? 0));
  }
  const json = weights.get('application/json') ?? weights.get('application/*') ?? 0;
  const picture = weights.get('image/jpeg') ?? weights.get('image/*') ?? weights.get('*/*') ?? 0;
  return json > 0 && json >= picture;
}
