import { completeOptions, readEngineVersion } from './build-site.ts';
import type { ObjectReader } from './model.ts';
import { openWorkTree } from './open-repository.ts';
import { createBuildTools } from './plan/build-tools.ts';
import { createMigration, type Migration } from './plan/migration/create-migration.ts';
import { FLAG_WORDS, wordError } from './plan/option-words.ts';
import { PROJECT_FILE_NAME } from './plan/project-file.ts';
import type { BuildOptions } from './plan/site-options.ts';

/** See `planMigration` of index.ts. */
export async function planMigration(
  given: Pick<BuildOptions, 'repository' | 'cacheFolder' | 'sourceDir' | 'codeHosts'>,
): Promise<Migration> {
  const options = completeOptions({ ...given, out: '', jobs: 1 });
  const repository = await (await openWorkTree(options.repository)).open();
  const [ref] = repository.refs;
  const { tree: rootTree, time } = await repository.readCommit(ref!.oid);
  const reader: ObjectReader = {
    readCommit: repository.readCommit,
    readBlob: repository.readBlob,
    async readTree(oid) {
      const entries = await repository.readTree(oid);
      return oid === rootTree ? entries.filter(({ name }) => name !== PROJECT_FILE_NAME) : entries;
    },
  };
  const tools = createBuildTools(options, reader, readEngineVersion());
  try {
    const { repository: label, sourceDir, codeHosts = [] } = options;
    const commit = { ref: ref!, rootTree, time };
    return await wordError(FLAG_WORDS, () => createMigration(commit, { tools, label, sourceDir, codeHosts }));
  } finally {
    await tools.close();
  }
}
