import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { BuildError, type BuildOptions, type BuildSummary, buildSite } from '../../builder/index.ts';
import { createCodeHosts } from '../../platform/code-hosts/code-hosts.ts';
import { createFolder } from './create-repository.ts';

/** An output folder and a cache of its own, both below a temporary folder that goes away with the test. */
export interface TestSite {
  /** Holds the output folder and the cache. */
  readonly folder: string;
  readonly out: string;
  readonly cacheFolder: string;
  build(repository: string, options?: Partial<BuildOptions>): Promise<BuildSummary>;
  /** Builds, expects a `BuildError`, and returns it. */
  fail(repository: string, options?: Partial<BuildOptions>): Promise<BuildError>;
  /** Returns the text of a published file. */
  read(path: string): string;
  has(path: string): boolean;
  /** Number of the file's inode: equal for two paths that share one file. */
  inode(path: string): number;
  /** Paths of all published files, sorted. */
  list(): readonly string[];
}

/** Creates a place to publish to. Builds run in this process. */
export function createSite(t: ExecutionContext): TestSite {
  const folder = createFolder(t);
  const out = join(folder, 'out');
  const cacheFolder = join(folder, 'cache');
  const build = (repository: string, options: Partial<BuildOptions> = {}): Promise<BuildSummary> =>
    buildSite({ repository, out, cacheFolder, jobs: 1, codeHosts: createCodeHosts().patterns, ...options });
  return {
    folder,
    out,
    cacheFolder,
    build,
    async fail(repository, options) {
      try {
        await build(repository, options);
      } catch (error) {
        if (error instanceof BuildError) return error;
        throw error;
      }
      throw new Error('The build was expected to fail');
    },
    read: (path) => readFileSync(join(out, path), 'utf8'),
    has: (path) => existsSync(join(out, path)),
    inode: (path) => statSync(join(out, path)).ino,
    list: () =>
      readdirSync(out, { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(out, path)).isFile())
        .sort(),
  };
}
