/** A time zone: what its clocks show, and what the time is called. */
export interface Zone {
  /** Returns how far its clocks are ahead of UTC at an instant; both in milliseconds. */
  readonly offsetAt: (instant: number) => number;
  /** Returns the abbreviation of the time in use at an instant: `CET`, `+1030`. */
  readonly nameAt: (instant: number) => string;
}
