import type { Generator } from '../../model.ts';
import type { ThemeLink } from '../../source/project-file-schema.ts';
import { GENERATOR_NAMES } from '../build-summary.ts';
import type { WrittenEntry } from './write-navigation.ts';

/** What a project file says, in the order in which it says it. */
export interface ProjectFileParts {
  readonly title?: string | undefined;
  readonly sourceDir?: string | undefined;
  readonly lang?: readonly string[] | undefined;
  readonly lastUpdated?: true | undefined;
  readonly announcement?: { readonly text: string; readonly url?: string | undefined } | undefined;
  readonly theme?: {
    readonly accent?: string | undefined;
    readonly logo?: string | undefined;
    readonly logoDark?: string | undefined;
    readonly favicon?: string | undefined;
    readonly image?: string | undefined;
    readonly links?: readonly ThemeLink[];
    readonly footer?: string | undefined;
  };
  readonly redirects?: Readonly<Record<string, string>>;
  readonly nav?: readonly WrittenEntry[] | undefined;
}

/** Writes a project file. Empty parts are left out. */
export async function writeProjectFile(
  { title, sourceDir, lang, lastUpdated, announcement, theme, redirects, nav }: ProjectFileParts,
  { generator, config }: { readonly generator: Generator; readonly config: string },
): Promise<string> {
  const { Document, isMap, isScalar, isSeq, visit } = await import('yaml');
  const parts = withoutEmpty({
    title,
    sourceDir,
    lang,
    lastUpdated,
    announcement,
    theme: withoutEmpty(theme ?? {}),
    redirects,
    nav,
  });
  const document = new Document(parts, { aliasDuplicateObjects: false });
  // Titles in several languages and lists of codes stand on one line.
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : undefined;
      if ((name === 'title' && isMap(value)) || (name === 'lang' && isSeq(value))) value.flow = true;
    },
  });
  const body = Object.keys(parts).length > 0 ? document.toString({ lineWidth: 0, flowCollectionPadding: false }) : '';
  return `# Written by "docbuild migrate" from ${config.replace(/\s+/g, ' ')} (${GENERATOR_NAMES[generator]}). As long as that file is here, docbuild reads
# Markdown in the dialect of ${GENERATOR_NAMES[generator]}.
${body}`;
}

function withoutEmpty<T extends object>(parts: T): Partial<T> {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => !isEmpty(value))) as Partial<T>;
}
