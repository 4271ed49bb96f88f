import { ApiError } from '../http/errors.ts';

/** Gives the error for a parameter that cannot be used; it is answered with 400 and an empty list of times. */
export function cronError(parameter: string, message: string): ApiError {
  return new ApiError(400, 'bad-request', `Parameter "${parameter}": ${message}`, { extra: { data: [] } });
}
