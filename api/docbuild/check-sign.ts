import { createHash } from 'node:crypto';
import { isSameSecret } from '../../lib/secrets.ts';
import { ApiError } from '../http/errors.ts';

/** Checks `X-Docbuild-Sign`: the lower-case hex md5 of the project's secret. Throws 403; an empty secret asks for nothing. */
export function checkSign(secret: string, sign: string): void {
  if (secret === '') return;
  const expected = createHash('md5').update(secret).digest('hex');
  if (!isSameSecret(sign, expected)) {
    throw new ApiError(
      403,
      'forbidden',
      "The header X-Docbuild-Sign must be the md5 (hex, lower case) of the project's secret",
    );
  }
}
