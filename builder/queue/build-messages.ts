import type { Ref } from '../model.ts';
import type { BuildOptions, BuildSummary } from '../plan/build-options.ts';

/** What a build process is told. */
export interface BuildOrder {
  readonly options: Omit<BuildOptions, 'onProgress' | 'onPublished'>;
}

/** What a build process tells: how far it is, and once how it ended. */
export type BuildReport =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'done'; readonly summary: BuildSummary; readonly refs: readonly Ref[] }
  | { readonly kind: 'failed'; readonly message: string };
