import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest path that a Unix socket may have (`sun_path`), less its final NUL. */
const MAX_LENGTH = 107;

/** Gives the path of the socket through which commands reach the process that owns `baseDir`. */
export function socketPath(baseDir: string): string {
  const path = join(baseDir, 'docbuild.sock');
  if (Buffer.byteLength(path) <= MAX_LENGTH) return path;
  const name = createHash('sha256').update(baseDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `docbuild-${process.getuid?.() ?? 0}-${name}.sock`);
}
