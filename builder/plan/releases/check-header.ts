import type { Warning } from '../../model.ts';
import { findProjectLine, PROJECT_FILE_NAME } from '../../source/project-file.ts';
import { decodeText } from '../../source/text/decode-text.ts';
import { createLinkResolver } from '../links/create-link-resolver.ts';
import { listHeaderProblems } from '../navigation/place-header.ts';
import { createLinkScope } from './link-scope.ts';
import type { VersionScope } from './version-scope.ts';

/**
 * Returns what is wrong with the links of the header in the default language. Only the version that the settings come from is
 * asked: older ones need not have all pages.
 */
export async function checkHeader(version: VersionScope): Promise<readonly Warning[]> {
  const { site, source, tree, find } = version;
  const { ref } = source.version;
  const [main] = tree.languages;
  if (!main || site.settledBy !== ref.name || !site.settings.theme.links) return [];
  const { language, pages } = main;
  const shown = new Map(pages.map((page) => [page.output, page]));
  const resolve = createLinkResolver(createLinkScope(version, { language, shown }, language.key));
  const folder = version.languageFolder(language.key);
  const place = { folder, languageFolder: folder, root: './', siteRoot: './', ids: new Set<string>() };
  const problems = listHeaderProblems(site, (url) => {
    const { problem } = resolve({ kind: 'link', url, line: 0 }, place);
    return problem ? undefined : url;
  });
  const entry = problems.length > 0 ? await find(PROJECT_FILE_NAME) : undefined;
  const decoded = entry && decodeText(await site.tools.reader.readBlob(entry.oid));
  const text = decoded && 'text' in decoded ? decoded.text : '';
  return Promise.all(
    problems.map(async ({ path, code, message }) => {
      const line = await findProjectLine(text, path);
      return { ref: ref.name, file: PROJECT_FILE_NAME, line, code, message };
    }),
  );
}
