/** Who stands where in a release: a path is taken by one file, and a file is never on the way to another. */
export interface PathClaims {
  isFree(path: string): boolean;
  /** Takes a path; false when it is not free. */
  claim(path: string): boolean;
}

/**
 * Creates the claims of one release; `reserved` folders, with a final `/`, are never free. Paths that some file system takes for
 * the same are one.
 */
export function createPathClaims(reserved: readonly string[] = []): PathClaims {
  const files = new Set<string>();
  const reservedFolders = reserved.map(fold);
  const folders = new Set<string>(reservedFolders.map((folder) => folder.slice(0, -1)));
  const isFree = (folded: string): boolean => {
    if (files.has(folded) || folders.has(folded)) return false;
    if (reservedFolders.some((folder) => folded.startsWith(folder))) return false;
    return !listFolders(folded).some((folder) => files.has(folder));
  };
  return {
    isFree: (path) => isFree(fold(path)),
    claim(path) {
      const folded = fold(path);
      if (!isFree(folded)) return false;
      files.add(folded);
      for (const folder of listFolders(folded)) folders.add(folder);
      return true;
    },
  };
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the folders a path lies in: `a/b/c` → `a/b`, `a`. */
function listFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}
