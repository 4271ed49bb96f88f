/** A short address that leads to a long one. */
export interface ShortUrl {
  /** What stands behind `/t/`: ASCII letters, digits, `_` and `-`. Two codes differ in more than capitals. */
  readonly code: string;
  /** Where it leads: absolute, http or https, as `parseTarget` gives it. */
  readonly longUrl: string;
  /** The user who made it. */
  readonly uid: string;
  /** The user chose the code. */
  readonly isCustom: boolean;
  /** The operator has switched it off: it leads nowhere. */
  readonly isDisabled: boolean;
  /** ISO 8601, UTC, with milliseconds. */
  readonly createdAt: string;
}
