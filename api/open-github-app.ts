import type { Store } from '../data/store.ts';
import type { Settings } from '../platform/config/settings.ts';
import { createGithubApp, findAppSettings, type GithubApp } from './github-app/github-app.ts';

/** Opens the GitHub App that the configuration names; returns which settings are missing where it cannot be opened. */
export function openGithubApp(context: {
  readonly settings: Settings;
  readonly store: Store;
  readonly docsApiUrl: string;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
}): GithubApp | { readonly missing: string } {
  const settings = findAppSettings(context.settings.current().github_app);
  if ('missing' in settings) return settings;
  return createGithubApp({ ...context, settings, onProblem: context.onWarning });
}
