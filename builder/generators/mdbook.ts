import { posix } from 'node:path';
import { isAbsoluteUrl } from '../../lib/url-text.ts';
import { readDataConfig } from '../config/config-values.ts';
import type { GeneratorProfile } from './generator.ts';
import {
  addRepositoryLink,
  addressTarget,
  note,
  readDataSettings,
  readRedirects,
  readWords,
  type SettingsFormat,
} from './shared/foreign-settings.ts';
import { summary } from './shared/summary.ts';

/** mdBook: `book.toml`. */
const settings: SettingsFormat = {
  listFiles: ({ home }) => [`${home}book.toml`],
  read: readDataSettings((reading) => {
    const { config, settings } = reading;
    settings.title = readWords(reading, 'book', 'title');
    const repository = readWords(reading, 'output', 'html', 'git-repository-url');
    if (repository !== undefined) {
      addRepositoryLink(settings, repository, config.placeOf('output', 'html', 'git-repository-url'));
    }
    readRedirects(reading, 'output', 'html', 'redirect');
    // Targets are relative to the old page.
    const redirects = settings.redirects.splice(0);
    settings.redirects.push(
      ...redirects.map((redirect) => {
        const { path } = redirect.to;
        const to = isAbsoluteUrl(path) ? path : posix.join('/', posix.dirname(redirect.from), path);
        return { ...redirect, to: addressTarget(to) };
      }),
    );
    for (const name of config.keys('preprocessor').filter((key) => key !== 'index' && key !== 'links')) {
      note(settings, config.placeOf('preprocessor', name), `Preprocessor "${name}" is not run`);
    }
    for (const key of ['additional-css', 'additional-js', 'theme']) {
      if (config.get('output', 'html', key) === undefined) continue;
      note(settings, config.placeOf('output', 'html', key), `"output.html.${key}" is not taken over`);
    }
  }),
};

export const mdbook: GeneratorProfile = {
  name: 'mdBook',
  async recognise(folder) {
    const config = folder.file(/^book\.toml$/);
    return config && { config };
  },
  async describe({ configName, config }) {
    const data = await readDataConfig(configName, config);
    return {
      content: data.text('book', 'src') ?? 'src',
      bases: [data.text('output', 'html', 'site-url')],
      statics: [],
      defaultLanguage: data.text('book', 'language'),
      exclude: ['SUMMARY.md'],
    };
  },
  navigation: summary,
  settings,
  addresses: { startsWithFirst: true },
  dialect: { mdbook: true, hasDashes: true },
};
