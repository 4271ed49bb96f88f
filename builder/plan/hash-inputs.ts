import type { BuildLimits } from '../build-limits.ts';
import { contentKey } from '../cache/content-key.ts';
import type { Repository } from '../model.ts';
import type { BuildOptions } from './build-options.ts';
import { contentLimits } from './site-key.ts';
import { findTitle } from './site-settings.ts';

/** Returns a hash of everything a build looks at from outside. */
export function hashInputs(
  options: BuildOptions & { readonly limits: BuildLimits },
  repository: Repository,
  engineVersion: string,
): string {
  const { repository: location, sourceDir, lang, refs, exclude, latest, single, title, baseUrl } = options;
  return contentKey(
    engineVersion,
    JSON.stringify([
      location,
      sourceDir,
      lang,
      refs,
      exclude,
      latest,
      single,
      title,
      baseUrl,
      options.button,
      options.hideGit,
      options.alsoBelow,
      contentLimits(options.limits),
      options.refUpdate?.update ?? [],
      options.refUpdate?.remove ?? [],
    ]),
    JSON.stringify([repository.head, repository.webUrl, findTitle(repository)]),
    repository.refs.map(({ name, kind, oid }) => `${kind} ${name} ${oid}`).join('\n'),
  );
}
