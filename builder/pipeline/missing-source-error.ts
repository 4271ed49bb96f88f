import { BuildError } from '../build-error.ts';
import type { ObjectReader, TreeEntry } from '../model.ts';
import type { Language } from '../source/choose-languages.ts';
import { PROJECT_FILE_NAME } from '../source/project-file.ts';
import {
  createPathFinder,
  normalizeFolder,
  readProjectFile,
  type Version,
  type VersionSource,
} from './read-version.ts';

const HINT = `name the folder of the documentation with --source or as "sourceDir" in ${PROJECT_FILE_NAME}`;

/** Gives the error for a site whose latest version, or all versions, have no source folder: what is there instead. */
export async function missingSourceError(
  reader: ObjectReader,
  versions: readonly Version[],
  options: { readonly sourceDir: string | undefined; readonly othersHaveIt?: boolean },
): Promise<BuildError> {
  const { ref, rootTree } = versions[0]!;
  const project = await readProjectFile(reader, createPathFinder(reader, rootTree));
  const folder = normalizeFolder(options.sourceDir ?? project.sourceDir ?? 'docs').replace(/\/$/, '');
  const kind = await findObstacle(reader, rootTree, folder);
  if (kind !== undefined) {
    return new BuildError('no-source', `"${folder}" in ref "${ref.name}" is a ${kind}, not a folder; ${HINT}`);
  }
  const where = versions.length === 1 ? `ref "${ref.name}"` : `any of the ${versions.length} refs`;
  const other = options.othersHaveIt ? ', or choose a version that has it as the latest one with --latest' : '';
  return new BuildError('no-source', `Folder "${folder}" does not exist in ${where}; ${HINT}${other}`);
}

/** Gives the kind of the entry on the way to a folder that is no folder. */
async function findObstacle(reader: ObjectReader, rootTree: string, folder: string): Promise<string | undefined> {
  let tree = rootTree;
  for (const part of folder.split('/')) {
    const entry: TreeEntry | undefined = (await reader.readTree(tree)).find(({ name }) => name === part);
    if (entry?.kind !== 'folder') return entry?.kind.replace('-', ' ');
    tree = entry.oid;
  }
  return undefined;
}

/** Gives the error for a latest version whose source folder holds no page in any language. */
export function noPagesError({ sourceFolder, version }: VersionSource, languages: readonly Language[]): BuildError {
  const codes = languages.map(({ code }) => code).join(', ');
  const message = `Folder "${sourceFolder || '.'}" holds no Markdown page (.md, .markdown, .mdx) in ${codes}`;
  return new BuildError('no-pages', message, { location: { ref: version.ref.name } });
}
