import { readFile } from 'node:fs/promises';
import type { RegexEngine } from 'shiki/core';
import { createOnigurumaEngine } from 'shiki/engine/oniguruma';
import { packageFile } from './package-file.ts';

/** The part of the global that is used here; its types are among those of browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: object } }>;
};

/** Loads the regular expressions that grammars are written in. */
export function loadOniguruma(): Promise<RegexEngine> {
  const wasm = readFile(packageFile('dist/onig.wasm'));
  // Given the bytes, the engine would check whether they are a `Response`, for which Node loads its HTTP client.
  const instantiator = async (imports: object = {}) => WebAssembly.instantiate(await wasm, imports);
  return createOnigurumaEngine({ instantiator });
}
