import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { BuildOptions } from '../../builder/index.ts';
import { createFolder } from './create-repository.ts';
import { createSite, type TestSite } from './create-site.ts';
import { gitEnvironment } from './run-git.ts';
import { testIf } from './test-if.ts';

/** Small repositories after bug reports of other projects; they stand beside the project, and are no part of it. */
const INPUTS = fileURLToPath(new URL('../../../../shared/inputs/', import.meta.url));

/** Whether they are there. */
export const hasInputs = existsSync(INPUTS);

/** A test that needs them. */
export const inputTest = testIf(hasInputs, `needs the inputs: "${INPUTS}" does not exist`, {
  isRequiredInCi: true,
});

/** Makes one of them by its name; `changes` are further calls with these arguments. Returns its folder. */
export function makeInput(t: ExecutionContext, name: string, ...changes: readonly string[]): string {
  const repository = join(createFolder(t), 'repository');
  for (const change of [undefined, ...changes])
    changeInput(repository, name, ...(change === undefined ? [] : [change]));
  return repository;
}

/** Calls the script of an input again, which changes its repository. */
export function changeInput(repository: string, name: string, ...args: readonly string[]): void {
  const env = { ...gitEnvironment, PATH: process.env.PATH };
  execFileSync('bash', [join(INPUTS, name, 'make.sh'), repository, ...args], { env, stdio: 'ignore' });
}

/** Makes one of them and builds it. */
export async function buildInput(
  t: ExecutionContext,
  name: string,
  options?: Partial<BuildOptions>,
): Promise<TestSite> {
  const site = createSite(t);
  await site.build(makeInput(t, name), options);
  return site;
}
