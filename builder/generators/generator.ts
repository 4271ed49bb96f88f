import type { Data } from '../config/data-values.ts';
import type { TreeEntry } from '../model.ts';
import type { SettingsFormat } from './shared/foreign-settings.ts';
import type { NavigationFormat } from './shared/navigation-items.ts';

/**
 * All that docbuild knows of one documentation generator. The stages of the engine ask a profile and never its name, so a new
 * generator is a profile and a row of the table in `generators.ts`.
 */
export interface GeneratorProfile extends ReadingRules {
  /** As it spells itself. */
  readonly name: string;
  /** Recognises the folder of a site by the names in it and, where several generators share a name, by what the file says. */
  recognise(folder: SiteFolder): Promise<RecognisedHome | undefined>;
  /** Returns the other files that `describe` needs, by path from the repository's root. */
  listMore?(site: ConfiguredSite, read: ReadText): Promise<ReadonlyMap<string, string>>;
  /** Reads the locations that the configuration sets. Scripts are scanned, never run. */
  describe(site: ConfiguredSite): Description | Promise<Description>;
  /** Returns whether a configuration at the root, whose site would be the whole repository, stands there for something else. */
  isOnlyTheme?(root: SiteFolder): boolean;
  /** Folders that are brought into docbuild's layout, where each language has a folder of the source. */
  readonly languages?: LanguageFolders;
  readonly settings: SettingsFormat;
}

/** How the files of a site are read; repositories that show no generator have these, too. */
export interface ReadingRules {
  /** Files with the ending of pages that are none. */
  readonly leavesOut?: {
    /** Templates for pages that a program generates, and other paths. */
    readonly paths?: RegExp;
    /** A README beside an index. */
    readonly readmes?: boolean;
  };
  /** Undefined: its folders are the navigation. */
  readonly navigation?: NavigationFormat;
  readonly folders?: FolderStyle;
  readonly frontMatter?: FrontMatterRules;
  readonly addresses?: AddressRules;
  /** Where it differs from what is read for all generators. */
  readonly dialect?: Partial<Dialect>;
}

/** Reads the text of a file by its path from the repository's root; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** A folder that may be the home of a site. */
export interface SiteFolder {
  /** Returns the first file whose name matches. */
  file(name: RegExp): TreeEntry | undefined;
  /** Returns whether it contains a folder of this name. */
  has(name: string): boolean;
  /** Returns the names of the folders in it. */
  listFolders(): readonly string[];
  /** Returns a folder below it, by a path without a final `/`. */
  open(path: string): Promise<SiteFolder | undefined>;
  /** Returns the text of a file; '' if it is not text of reasonable size. */
  read(file: TreeEntry): Promise<string>;
}

/** The evidence that a folder is the home of a site. */
export interface RecognisedHome {
  readonly config: TreeEntry | undefined;
  /** Folder of the pages, from the home, where what is there decides it. */
  readonly pages?: string;
}

/** A recognised site with its configuration. */
export interface ConfiguredSite {
  /** Folder of its configuration from the repository's root with a final `/`, or ''. */
  readonly home: string;
  /** Name and text of its configuration; '' if there is none, or if it is not text of reasonable size. */
  readonly configName: string;
  readonly config: string;
  readonly pages?: string | undefined;
  /** The files of `listMore`. */
  readonly more?: ReadonlyMap<string, string>;
}

/** A name that stands for a folder where a path begins with it: `@assets/`; the folder counts from the home of the site. */
export type Alias = readonly [prefix: string, folder: string];

/** The values read from a configuration; paths are from its folder. */
export interface Description {
  /** Folder of its pages; it may not exist. */
  readonly content: string;
  /** Prefixes of the URLs of its pages. */
  readonly bases: readonly (string | undefined)[];
  /** Folders whose files are published at its root. */
  readonly statics: readonly string[];
  /** Whether each page has its own folder, to which URLs are relative. */
  readonly hasPageFolders?: boolean;
  /** Of several folders for one name the first that has a file counts. */
  readonly aliases?: readonly Alias[];
  /** Codes of the languages that it names. */
  readonly languages?: readonly string[];
  /** Code of the language of pages without a stated language. */
  readonly defaultLanguage?: string | undefined;
  /** Folders of languages, where the configuration names them. */
  readonly languageFolders?: readonly (readonly [code: string, folder: string])[];
  /** Other folders of pages. */
  readonly mounts?: readonly Mount[];
  /** Globs, relative to `content`, of excluded files. */
  readonly exclude?: readonly string[];
  /** Folders from which included files are named; the first that has one counts. */
  readonly includeFolders?: readonly string[];
  /** Files that are included at the end of each page, as an include names them. */
  readonly appended?: readonly string[];
  /** `[text][id]` links to the heading with this id on any page. */
  readonly hasReferences?: boolean;
}

/** A folder of pages that is not below the others, or that is shown in another place than its own. */
export interface Mount {
  /** From the site's home; in a described site, from the repository's root with a final `/`. */
  readonly folder: string;
  /** The place where its pages are shown, from the content, with a final `/`. */
  readonly shown: string;
  /** The name that distinguishes its translations from those of the content. */
  readonly id: string;
}

/** Where a generator keeps its languages, if they are not folders of the content. */
export interface LanguageFolders {
  /** Where the content is the folder of one language (`content/en/`), the folder above holds those of the others. */
  readonly besideContent?: boolean;
  /** Each language may be a site (`docs/en/mkdocs.yml`), and the folder above them all is the source. */
  readonly areSites?: boolean;
  /** Translations of the pages, above and below the folder named by the code; `above` counts from the home. */
  readonly translations?: readonly { readonly above: string; readonly below: string }[];
  /** The same for the mount with an id. */
  readonly mountTranslations?: (id: string) => { readonly above: string; readonly below: string };
}

/** How a generator shows folders by default. */
export interface FolderStyle {
  /** Folders are sorted among the pages rather than after them. */
  readonly isMixed?: boolean;
  /** Without an order, titles count before names. */
  readonly isByTitle?: boolean;
  /** A folder has the lowest order of its content. */
  readonly takesLowest?: boolean;
  /** The content of a folder whose page is hidden is hidden, too. */
  readonly hidesBelow?: boolean;
  /** Pages may name the one above them by its title; the folders do not count then. */
  readonly mayHaveParents?: boolean;
  /** Name of the file in which a folder has settings, see `Category`. */
  readonly settingsFile?: RegExp;
  /** Numbers before names order pages and folders, and are no part of URLs. */
  readonly isNumbered?: boolean;
}

/** Meanings of front matter that one generator has for itself. */
export interface FrontMatterRules {
  /** The case of keys does not matter. */
  readonly ignoresCase?: boolean;
  /** YAML 1.1, in which `yes` and `off` are no texts. */
  readonly hasYamlWords?: boolean;
  /** `position` is an order. */
  readonly hasPositions?: boolean;
  /** Pages without an order are sorted by `date`, and an order of 0 is none. */
  readonly isByDate?: boolean;
  /** `id` is the name of the page in the navigation. */
  readonly hasIds?: boolean;
  /** A text in `prev` and `next` is what the link says. */
  readonly hasNeighbourTexts?: boolean;
  /** `layout` names what stands around the text: nothing, if it is none of these. */
  readonly layouts?: readonly string[];
  /** The title of the opening of a landing page is the page's, where it has none. */
  readonly titlesOpening?: boolean;
  /** Returns whether a page is a landing page; `hasOpening`: it has what is shown there. */
  isLandingPage?(data: Data, hasOpening: boolean): boolean;
  /** Returns why a page is not published, besides `draft` and `published`. */
  findDraft?(data: Data): string | undefined;
  /** Returns the key of the URL that a page wants, and what it counts from; see `WantedAddress`. */
  findAddress?(data: Data): readonly [kind: 'whole' | 'beside' | 'name', key: string] | undefined;
  /** `aliases` are old URLs, with or without a slash in front. */
  readonly hasAliases?: boolean;
  /** Paths in `redirect_to` count from the root of the site. */
  readonly redirectsFromRoot?: boolean;
}

/** How URLs of pages follow from their files, and what links mean. */
export interface AddressRules {
  /** Returns the path of a page's HTML file, if its front matter sets no URL, from that of its file. */
  rename?(place: string): string;
  /** Returns whether a file is the page of its folder, whatever its name. */
  isFolderPage?(path: string): boolean;
  /** `index.md` is always a page of its own: the `slug` of other generators names its folder. */
  readonly hasNoBundles?: boolean;
  /** Everything beside and below an `index.md` belongs to that page. */
  readonly ownsFolder?: boolean;
  /** The draft of an `_index.md` includes everything below it. */
  readonly hasSectionDrafts?: boolean;
  /** Old URLs are relative to the folder of the page's URL. */
  readonly aliasesBeside?: boolean;
  /** File names are changed to make URLs: capital letters, spaces, signs. */
  readonly simplifiesNames?: boolean;
  /** Linked files are also looked for from the root of all pages. */
  readonly linksFromContent?: boolean;
  /** Without a page at the root, the first of the navigation is the home. */
  readonly startsWithFirst?: boolean;
  /** `@/` in an include means the folder in which the command runs, above that of the pages. */
  readonly includesFromAbove?: boolean;
  /** Templates may print values of the site's configuration and data. */
  readonly hasSiteValues?: boolean;
}

/**
 * How a generator reads syntax that is ambiguous. Unambiguous syntax (`{{< alert >}}`, `:::note`, `{: .warning }`) is
 * understood for all generators.
 */
export interface Dialect {
  /** JSX: all tags contain Markdown, at any indentation. */
  readonly jsx: boolean;
  /** `{expressions}` are evaluated. */
  readonly expressions: boolean;
  /** `{% tags %}` are tags, in code, too (Jekyll); or the generator prints them. */
  readonly liquid: 'everywhere' | 'outside code' | 'text';
  /** The kind of `{{ … }}`: an expression of Vue or Liquid, a variable of MkDocs' macros or of GitBook, a shortcode of Zola. */
  readonly mustache: 'vue' | 'liquid' | 'macro' | 'book' | 'shortcode' | 'text';
  /** Shortcodes are tags in code, too. */
  readonly hugo: boolean;
  /** `^^inserted^^`, `{--deleted--}`; `{!file!}`, snippets in code. */
  readonly pymdown: boolean;
  /** Pipes in code end no cell of a table. */
  readonly hasCodePipes: boolean;
  /** A fence directly after HTML is code. */
  readonly fencesEndHtml: boolean;
  /** `{{#include file}}` in code; hidden lines of Rust. */
  readonly mdbook: boolean;
  /** URLs are those of a single-page site: `#/guide?id=install`, `guide?id=install`. */
  readonly docsify: boolean;
  /** `--` and `---` in text are dashes. */
  readonly hasDashes: boolean;
  /** Comments in code such as `// highlight-next-line` mark lines. */
  readonly hasMagicComments: boolean;
  /**
   * Ids that headings have, too. `cased`: capital letters stay, of all headings. Of those in other scripts than Latin, `ascii`: what
   * remains without these; `decomposed`: letters are taken apart.
   */
  readonly headingIds: 'cased' | 'ascii' | 'decomposed' | undefined;
}
