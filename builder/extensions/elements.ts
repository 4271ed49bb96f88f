import { readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../../lib/package-file.ts';
import type { Extension, MadeFile } from '../extension.ts';
import { languageKey } from '../language-tag.ts';

/** Folder of the pages that show all elements, below that of the documentation. */
export const ELEMENTS_FOLDER = 'docbuild-elements';

/** Releases that a preview with such pages has besides `latest`, so that there is a menu of versions. */
export const ELEMENTS_RELEASES = ['v1.0.0', 'v1.1.0', 'v2.0.0'] as const;

/** Creates the extension that adds pages with all elements to a preview, in each language of the project. */
export function createElements(): Extension {
  return {
    name: 'elements',
    pages: ({ languages }) => languages.flatMap((folder) => listPages(folder)),
  };
}

function listPages(language: string): readonly MadeFile[] {
  const folder = packageFile('templates/elements/');
  const own = languageKey(language).startsWith('zh') ? 'zh_CN' : 'en';
  const prefix = `${language === '' ? '' : `${language}/`}${ELEMENTS_FOLDER}/`;
  const pages = readdirSync(new URL(`${own}/`, folder)).map((name) => [name, `${own}/${name}`] as const);
  return [...pages, ['landscape.svg', 'landscape.svg'] as const].map(([name, path]) => ({
    path: prefix + name,
    text: readFileSync(new URL(path, folder), 'utf8'),
  }));
}
