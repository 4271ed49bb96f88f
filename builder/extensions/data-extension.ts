import type * as z from 'zod';
import type { Extension } from '../extension.ts';

/** The library that schemas of settings are made of; loaded where there is a project file. */
export interface SettingSchemas {
  readonly z: typeof z;
  /** One line of text. */
  readonly text: z.ZodString;
  /** A path inside the repository. */
  readonly path: z.ZodType<string, string>;
}

/** An extension that comes with docbuild, and is set up by data: a key of `extensions` in the project file. */
export interface DataExtension<Settings> {
  readonly check: (schemas: SettingSchemas) => z.ZodType<Settings>;
  /** `name` is its key. */
  readonly create: (settings: Settings, name: string) => Extension;
}
