/** A site's memory in this browser. Values come from storage that others may have written to: they are unchecked. */
export interface SiteStorage {
  /** Returns what was stored under a name; undefined where there is nothing, or where storage is forbidden. */
  read(name: string): unknown;
  write(name: string, value: unknown): void;
  /** Returns the name of what an event of storage is about; undefined for that of another site. */
  nameOf(event: StorageEvent): string | undefined;
}

/**
 * Opens the storage of the site to which a script in its folder of assets belongs. Sites that share an origin, as on a server
 * or in a folder of exports, do not share what their readers choose.
 */
export function openStorage(script: string, area: 'localStorage' | 'sessionStorage' = 'localStorage'): SiteStorage {
  const prefix = `docbuild ${new URL('..', script).pathname} `;
  return {
    read(name) {
      try {
        return JSON.parse(window[area].getItem(prefix + name) ?? 'null') ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(name, value) {
      try {
        window[area].setItem(prefix + name, JSON.stringify(value));
      } catch {
        // Storage is full or forbidden: the choice ends with the page.
      }
    },
    nameOf: ({ key }) => (key?.startsWith(prefix) ? key.slice(prefix.length) : undefined),
  };
}
