/**
 * A part of a page as a reader sees it. Sections, lists, tables, boxes and blocks of code have children; headings, paragraphs, lines of
 * code and the like have words. What a reader cannot see is in neither.
 */
export interface Block {
  /** Only blocks of one kind take each other's place. */
  readonly kind: string;
  readonly words: readonly Word[];
  readonly children: readonly Block[];
}

/** A word, a sign, or something that stands in a text as a whole: a picture, a formula. */
export interface Word {
  readonly text: string;
  /** Equal where it looks equal: whether it is bold, code, a link … */
  readonly look: string;
  /** Where it leads; '' for what is no link. */
  readonly link: string;
}
