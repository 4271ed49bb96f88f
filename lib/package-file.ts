import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the address of a file of this package by its path from the package's root: the first folder above this code that
 * has a `package.json`. So it is found from single files and from a bundle alike.
 */
export function packageFile(path: string): URL {
  root ??= findRoot();
  return new URL(path, root);
}

let root: URL | undefined;

function findRoot(): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder;
    if (folder.pathname === '/') throw new Error('No package.json above the code of docbuild');
  }
}

/** Returns the version of this package, as its package.json says. */
export function readPackageVersion(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
