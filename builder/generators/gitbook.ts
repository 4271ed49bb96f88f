import { posix } from 'node:path';
import { isAbsoluteUrl } from '../../lib/url-text.ts';
import { type ConfigValues, readDataConfig } from '../config/config-values.ts';
import { looksLikeLanguage } from '../language-tag.ts';
import type { ConfiguredSite, GeneratorProfile } from './generator.ts';
import {
  addressTarget,
  handled,
  note,
  readDataSettings,
  readRedirects,
  readWords,
  reportKeys,
  type SettingsFormat,
} from './shared/foreign-settings.ts';
import type { NavigationFormat, NavigationSite } from './shared/navigation-items.ts';
import { decodeAddress, readSummary } from './shared/summary.ts';

/**
 * GitBook: `.gitbook.yaml`, or nothing but a `SUMMARY.md` as it writes them; and its older form, which HonKit carries on:
 * `book.json`. Sources: https://gitbook.com/docs/getting-started/git-sync, https://honkit.netlify.app
 */
const CONFIG = /^\.gitbook\.ya?ml$/;
const OLD_CONFIG = /^book\.json$/;
const SUMMARY = 'SUMMARY.md';
/** A summary as GitBook writes it. */
const WRITTEN = /^\uFEFF?\s*# Table of contents\s/;

const listConfigs = ({ home }: Pick<NavigationSite, 'home'>): readonly string[] => [
  `${home}.gitbook.yaml`,
  `${home}.gitbook.yml`,
  `${home}book.json`,
];

/** Returns the name of the table of contents, from the folder of the pages. */
const summaryOf = (config: ConfigValues): string => cleanPath(config.text('structure', 'summary')) || SUMMARY;

/** The table of contents of the book, or, in a book of several languages, of each. */
const summaries: NavigationFormat = {
  listFiles: (site) => [...listConfigs(site), site.content + SUMMARY],
  async read(file, { home, content, languageFolders }, read) {
    const name = file === content + SUMMARY ? SUMMARY : summaryOf(await readDataConfig(file, (await read(file)) ?? ''));
    // Each language may be a book of its own: `docs/en/.gitbook.yaml`, `docs/fr/.gitbook.yaml`.
    const beside = (folder: string): string => posix.join(home, '..', folder, content.slice(home.length));
    const folders = [...languageFolders].map(([key, folder]) => [key, [content + folder, beside(folder)]] as const);
    const found = await Promise.all(
      [['', [content]] as const, ...folders].map(async ([key, places]) => {
        for (const place of places) {
          const path = posix.join(place, name);
          const text = await read(path);
          if (text !== undefined) return [key, readSummary(text, path)] as const;
        }
        return undefined;
      }),
    );
    const known = found.filter((one) => one !== undefined);
    if (known.length === 0) return undefined;
    return {
      languages: Object.fromEntries(known.map(([key, { languages }]) => [key, languages['']!])),
      isComplete: known.every(([, { isComplete }]) => isComplete),
      notes: known.flatMap(([, { notes }]) => notes),
    };
  },
};

const settings: SettingsFormat = {
  listFiles: listConfigs,
  read: readDataSettings((reading) => {
    const { config, settings } = reading;
    settings.title = readWords(reading, 'title');
    readRedirects(reading, 'redirects');
    // Targets are files, from the folder of the pages; old addresses are written without a slash in front.
    const redirects = settings.redirects.splice(0);
    for (const redirect of redirects) {
      const { path } = redirect.to;
      const to = isAbsoluteUrl(path) ? path : posix.join('/', path);
      settings.redirects.push({ ...redirect, from: posix.join('/', redirect.from), to: addressTarget(to) });
    }
    const plugins = config.list('plugins').filter((name) => !name.startsWith('-'));
    for (const name of plugins) note(settings, config.placeOf('plugins'), `Plugin "${name}" is not run`);
    reportKeys(reading, {
      ...handled(
        'root structure redirects title author language direction isbn gitbook plugins description links pdf variables',
      ),
      pluginsConfig: 'plugins are not run',
      styles: '"theme.styles" takes a CSS file made for docbuild',
    });
  }),
};

export const gitbook: GeneratorProfile = {
  name: 'GitBook',
  async recognise(folder) {
    const config = folder.file(CONFIG);
    if (config) return { config };
    const summary = folder.file(/^SUMMARY\.md$/);
    const old = folder.file(OLD_CONFIG);
    if (old && (summary || /"(?:root|structure|gitbook|plugins)"\s*:/.test(await folder.read(old))))
      return { config: old };
    const isWritten = summary && folder.file(/^readme\.md$/i) && WRITTEN.test(await folder.read(summary));
    return isWritten ? { config: undefined } : undefined;
  },
  async listMore({ home, configName, config }, read) {
    const { root } = await locate({ configName, config });
    const path = `${home}${root}LANGS.md`;
    const text = await read(path);
    return new Map(text === undefined ? [] : [[path, text]]);
  },
  async describe({ configName, config, more }) {
    const { root, data } = await locate({ configName, config });
    const languages = [...(more ?? [])].flatMap(([, text]) => readLanguages(text));
    return {
      content: root,
      bases: [],
      statics: [`${root}.gitbook/assets`],
      languages,
      defaultLanguage: languages[0] ?? data.text('language'),
      // Beside the folders of languages, texts are for people who work on the book.
      exclude: [summaryOf(data), ...(languages.length > 0 ? ['/*.md'] : [])],
    };
  },
  languages: { areSites: true },
  navigation: summaries,
  settings,
  addresses: { startsWithFirst: true, linksFromContent: true, hasSiteValues: true },
  dialect: { mustache: 'book' },
};

/** Reads the configuration, empty where there is none, and the folder of the pages: from its own, with a final `/`, or ''. */
async function locate({ configName, config }: Pick<ConfiguredSite, 'configName' | 'config'>) {
  const data = await readDataConfig(configName, config);
  const root = cleanPath(data.text('root'));
  return { data, root: root === '' ? '' : `${root}/` };
}

/** Returns a path from a folder without `./` and final slashes; '' for the folder itself and for what leads out of it. */
function cleanPath(path: string | undefined): string {
  const clean = posix.join('/', path ?? '').slice(1);
  return clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** Returns the folders that `LANGS.md` lists and that are named like languages, the first one first: `* [English](en/)`. */
function readLanguages(text: string): readonly string[] {
  const { languages } = readSummary(text, SUMMARY, (path) => ({ kind: 'file', path: cleanPath(decodeAddress(path)) }));
  return languages['']!.flatMap(({ target }) => (target ? [target.path.replace(/\/README\.md$/i, '')] : [])).filter(
    looksLikeLanguage,
  );
}
