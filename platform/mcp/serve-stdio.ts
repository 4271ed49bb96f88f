import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';
import { createDocumentedSites } from './documented-sites.ts';
import { openSite } from './open-site.ts';

/** Bytes of files whose opened volumes of the search index are kept. */
const MAX_OPEN_BYTES = 64_000_000;

/**
 * Serves the site in a folder or at an address to the MCP client that has started this process, over standard input and output, until it
 * closes the input. Throws DataError where there is no site.
 */
export async function serveSiteOverStdio(place: string, onError: (error: unknown) => void): Promise<void> {
  const site = await openSite(place);
  try {
    const openDocumentation = createDocumentedSites(MAX_OPEN_BYTES);
    const open = () => openDocumentation(site);
    const title = (await open()).listVersions().title || place;
    serveStdio(() => createMcpServer({ title, open, onError }), { maxSubscriptions: 0, onerror: onError });
    if (!process.stdin.readableEnded) await once(process.stdin, 'end');
  } finally {
    await site.close();
  }
}
