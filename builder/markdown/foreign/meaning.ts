/** An element of another generator: a component, a shortcode, a statement of a template language. */
export interface ForeignElement {
  readonly syntax: 'component' | 'shortcode' | 'statement' | 'value';
  /** As written. */
  readonly name: string;
  /** By name in lower case. */
  readonly named: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
  /** All arguments as written, where a template language has them. */
  readonly body?: string | undefined;
  /** It has a closing tag. */
  readonly isPaired: boolean;
}

/** The meaning of an element to readers. */
export type Meaning =
  /** `name` determines the title if there is none. */
  | {
      readonly as: 'callout';
      readonly kind: string;
      readonly name: string;
      readonly title: string | undefined;
      readonly isDetails: boolean;
    }
  /** `href` is the quotation's source, `text` what it is called. */
  | { readonly as: 'quote'; readonly author: string; readonly href?: string; readonly text?: string }
  /** With `code`, tabs hold code of that language unless they say otherwise. */
  | {
      readonly as: 'tabs';
      readonly code: string | undefined;
      readonly syncKey: string;
      /** Titles by the values of tabs that have none of their own. */
      readonly labels: ReadonlyMap<string, string>;
      /** Titles of tabs that have neither, in their order. */
      readonly titles: readonly string[];
      /** Value of the tab that is open at first, or its place in the order, from 0. */
      readonly selected: string | undefined;
    }
  | {
      readonly as: 'tab';
      /** '' = none; then the group may have one, otherwise it is `name`. */
      readonly title: string;
      readonly name: string;
      readonly value: string;
      readonly isDefault: boolean;
      readonly isMarkdownTitle: boolean;
      readonly language: string | undefined;
      readonly isText: boolean;
      /** It is only the caption of the tabs beside it. */
      readonly isHeading: boolean;
    }
  /** A box with a title that may be a link. `text` and `footer` are Markdown. */
  | {
      readonly as: 'box';
      readonly className: string;
      readonly title: string;
      readonly isMarkdownTitle: boolean;
      readonly href: string;
      readonly text: string;
      readonly footer: string;
      /** Its content is code of this language; undefined = Markdown. */
      readonly code: string | undefined;
    }
  | { readonly as: 'image'; readonly attributes: Readonly<Record<string, string>>; readonly caption: string }
  | {
      readonly as: 'link';
      readonly href: string;
      readonly text: string;
      readonly isBlock: boolean;
      readonly className: '' | 'button' | 'button primary';
    }
  | {
      readonly as: 'inline';
      readonly tag: 'kbd' | 'mark' | 'span';
      readonly className: string;
      readonly text: string;
      /** The loss that readers are warned of. */
      readonly problem?: string;
    }
  /** An entry of a list of files. */
  | { readonly as: 'entry'; readonly name: string; readonly isFolder: boolean }
  /** `text` if an attribute contains the code. */
  | { readonly as: 'code'; readonly info: string; readonly text: string | undefined }
  | { readonly as: 'include'; readonly path: string }
  | { readonly as: 'toc' }
  /** Only the content is meant for readers, not the tags. */
  | { readonly as: 'content' }
  /** Nothing of it is for readers. */
  | { readonly as: 'nothing' };
