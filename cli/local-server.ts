import type { Command } from 'commander';
import type { LocalServer } from '../api/sites/local-server.ts';
import { BuildError } from '../builder/index.ts';
import { parsePort } from './run-command.ts';

/** Flags of commands that show a site to whoever sits at this machine. */
export interface ServerFlags {
  readonly port?: number;
  readonly host: string;
  readonly open?: boolean;
}

const DEFAULT_PORT = 4000;
/** Number of ports to try after the default one. */
const OTHER_PORTS = 20;

/** Adds the flags. */
export function addServerFlags(command: Command): Command {
  return command
    .option('--port <number>', `port to listen on (default: ${DEFAULT_PORT}, or the next one that is free)`, parsePort)
    .option('--host <name>', 'host name or IP address to listen on', '127.0.0.1')
    .option('--open', 'open the site in the browser');
}

/** Starts a server on the given port, otherwise on the first free one from the default on. Throws BuildError. */
export async function listen<Server extends LocalServer>(
  { host, port }: ServerFlags,
  start: (at: { readonly host: string; readonly port: number }) => Promise<Server>,
): Promise<Server> {
  for (let tried = port ?? DEFAULT_PORT; ; tried++) {
    try {
      return await start({ host, port: tried });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port === undefined && tried < DEFAULT_PORT + OTHER_PORTS) continue;
      const advice = code === 'EADDRINUSE' ? 'it is in use; choose another one with --port' : message;
      throw new BuildError('bad-option', `Cannot listen on ${host}, port ${tried}: ${advice}`);
    }
  }
}

/** Ends the process when it is told to, after what is to be closed. */
export function endOnSignal(close: () => Promise<unknown>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await close();
      process.exit(0);
    });
  }
}

/** Opens a URL in the browser; `print` is told where that is not possible. */
export async function openBrowser(url: string, print: (line: string) => void): Promise<void> {
  try {
    const { default: open } = await import('open');
    await open(url);
  } catch (error) {
    print(`Cannot open a browser: ${(error as Error).message}`);
  }
}
