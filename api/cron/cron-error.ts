import { ApiError } from '../http/errors.ts';

/** Returns the error for a parameter that cannot be used. */
export function cronError(parameter: string, message: string): ApiError {
  return new ApiError(400, 'bad-request', `Parameter "${parameter}": ${message}`);
}
