import type { BuildOptions, BuildSummary, Ref } from '../../builder/index.ts';

/** What a build process is told. */
export interface BuildOrder {
  readonly options: Omit<BuildOptions, 'onProgress' | 'onPublished'>;
}

/** What a build process tells: how far it is, and once how it ended. */
export type BuildReport =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'done'; readonly summary: BuildSummary; readonly refs: readonly Ref[] }
  | { readonly kind: 'failed'; readonly message: string };
