/** Who stands where in a release: a path is taken by one file, and a file is never on the way to another. */
export interface PathClaims {
  isFree(path: string): boolean;
  /** Takes a path; false when it is not free. */
  claim(path: string): boolean;
}

/** Creates the claims of one release; `reserved` folders, with a final `/`, are never free. */
export function createPathClaims(reserved: readonly string[] = []): PathClaims {
  const files = new Set<string>();
  const folders = new Set<string>(reserved.map((folder) => folder.slice(0, -1)));
  const isFree = (path: string): boolean => {
    if (files.has(path) || folders.has(path) || reserved.some((folder) => path.startsWith(folder))) return false;
    return !listFolders(path).some((folder) => files.has(folder));
  };
  return {
    isFree,
    claim(path) {
      if (!isFree(path)) return false;
      files.add(path);
      for (const folder of listFolders(path)) folders.add(folder);
      return true;
    },
  };
}

/** Gives the folders a path lies in: `a/b/c` → `a/b`, `a`. */
function listFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}
