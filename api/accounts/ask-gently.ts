import { DataError } from '../../data/data-error.ts';
import { ApiError } from '../http/errors.ts';

/**
 * Does what may have to wait for a password to be hashed. Where too many wait already, `onBusy` is called, and ApiError 503
 * with `Retry-After` is thrown: whoever sends much brings that about, so nobody is told of it but the caller.
 */
export async function askGently<T>(work: () => Promise<T>, onBusy: () => void): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DataError && cause.code === 'busy')) throw cause;
    onBusy();
    throw new ApiError(503, 'overloaded', cause.message, { cause, expose: true, headers: { 'Retry-After': '2' } });
  }
}
