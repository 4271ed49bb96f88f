/** Somebody who may log in. */
export interface User {
  /** 10 decimal digits, the first one not 0; never changes, named in payments. */
  readonly uid: string;
  /** Name to log in with, lower case. */
  readonly account: string;
  /** scrypt hash with its parameters and salt, see `hashPassword`. */
  readonly passwordHash: string;
  /** May use the operator's part of the console. */
  readonly isOperator: boolean;
  /** The operator has checked who this is; shown as `realname` of short URLs. */
  readonly isVerified: boolean;
  readonly isDisabled: boolean;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
