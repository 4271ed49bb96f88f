import type * as z from 'zod';
import type { Extension } from '../extension.ts';
import { CHANGELOG } from './changelog.ts';
import { OPENAPI } from './openapi/openapi.ts';

/** The extensions that come with docbuild, by their keys in the project file. */
export const BUILT_IN = { changelog: CHANGELOG, openapi: OPENAPI };

export type BuiltInSettings = {
  readonly [Key in keyof typeof BUILT_IN]?: z.output<ReturnType<(typeof BUILT_IN)[Key]['check']>> | undefined;
};

/** Returns those that a project has settings for; keys tell settings apart. */
export function createBuiltIn(
  settings: BuiltInSettings,
): readonly { readonly extension: Extension; readonly key: string }[] {
  return Object.entries(BUILT_IN).flatMap(([name, { create }]) => {
    const own = settings[name as keyof BuiltInSettings];
    return own === undefined ? [] : [{ extension: create(own as never, name), key: JSON.stringify([name, own]) }];
  });
}
