/** The picture of a day. */
export interface Image {
  /** Whose picture it is: `zh-CN`. */
  readonly market: string;
  /** Local day in the market, `YYYYMMDD`. */
  readonly date: string;
  /** Path and beginning of the query of the picture's address, without size: `/th?id=OHR.Name`. */
  readonly urlbase: string;
  readonly title: string;
  readonly copyright: string;
}
