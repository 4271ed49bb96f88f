import { own, text } from '../config/data-values.ts';
import { sidebars } from './docsify.ts';
import type { ReadingRules } from './generator.ts';
import { CATEGORY_FILE } from './shared/categories.ts';
import { summary } from './shared/summary.ts';

/** Repositories that show no generator. Their pages may be written for any, so what only some understand is read, too. */
export const plain: ReadingRules = {
  /** A `SUMMARY.md`, or the sidebar of Docsify, whose page that loads it may be elsewhere. */
  navigation: {
    listFiles: (site) => [...summary.listFiles(site), `${site.content}_sidebar.md`],
    async read(file, site, read) {
      if (!file.endsWith('_sidebar.md')) return summary.read(file, site, read);
      const navigation = await sidebars.read(file, site, read);
      return navigation && { ...navigation, isComplete: false, leavesOutHome: true };
    },
  },
  folders: { settingsFile: CATEGORY_FILE },
  frontMatter: {
    hasNeighbourTexts: true,
    findAddress(data) {
      const slug = text(own(data, 'slug'));
      if (slug === undefined) return ['whole', 'permalink'];
      return [slug.startsWith('/') ? 'whole' : 'beside', 'slug'];
    },
  },
  addresses: { linksFromContent: true },
  dialect: { hasMagicComments: true },
};
