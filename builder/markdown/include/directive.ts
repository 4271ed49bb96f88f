export interface IncludeReference {
  /** `<<<` includes code, `@include` Markdown, `--8<--` and mdBook's `{{#include}}` either, depending on the file. */
  readonly kind: 'code' | 'markdown' | 'snippet' | 'text';
  /** As written. */
  readonly path: string;
  /** Region or heading, without `#`. */
  readonly region: string | undefined;
  /** The text in braces, e.g. `3,10` or `1,2 ts:line-numbers`. */
  readonly settings: string | undefined;
  /** The text in brackets. */
  readonly title: string | undefined;
  /** Lines of the file that are included as code; see `selectLines`. */
  readonly lines?: string;
  /** The path counts from the folders from which the generator includes files, not from the page. */
  readonly isFromBase?: true;
  /** Texts between which the part stands. */
  readonly between?: { readonly start: string | undefined; readonly end: string | undefined };
  /** Number of levels by which headings are lower in the page. */
  readonly headingOffset?: number;
  /** The code is closed at first, below the file's name. */
  readonly isClosed?: true;
}
