import type { ExecutionContext } from 'ava';
import { type BuildErrorCode, type BuildOptions, formatBuildError } from '../../builder/index.ts';
import type { TestSite } from './create-site.ts';
import { compareTrees, hashTree } from './hash-tree.ts';

/** Builds, expects this failure, and that everything but the cache is afterwards as it was, byte for byte. */
export async function expectRefused(
  t: ExecutionContext,
  site: TestSite,
  build: { readonly repository: string; readonly options?: Partial<BuildOptions> },
  expected: { readonly code: BuildErrorCode; readonly message: RegExp },
): Promise<void> {
  const before = hashWithoutCache(site.folder);
  const error = await site.fail(build.repository, build.options);
  t.is(error.code, expected.code, formatBuildError(error));
  t.regex(formatBuildError(error), expected.message);
  t.deepEqual(compareTrees(before, hashWithoutCache(site.folder)), []);
}

/** The folder that the next build would stage in may be lost: it only saves time. */
function hashWithoutCache(folder: string): ReadonlyMap<string, string> {
  return new Map([...hashTree(folder)].filter(([path]) => !/^(?:cache|\.[^/]*\.docbuild\/back)(?:\/|$)/.test(path)));
}
