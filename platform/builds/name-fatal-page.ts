import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { noteWorkIn, openWorkNote } from '../../lib/work-note.ts';

/**
 * Waits until docbuild is gone; says which page or step it was at unless docbuild has said that it ends. V8 leaves nothing that the process
 * itself could do when its memory is full, and the system leaves nothing at all.
 */
const SCRIPT = `read -r word && exit
{ IFS= read -r page && IFS= read -r step; } <&3
if [ -n "$page" ]; then what="docbuild was ended while it rendered $page" less="Split this page into several"
elif [ -n "$step" ]; then what="docbuild was ended at the step \\"$step\\"" less="Build fewer versions at once (--refs, --exclude)"
else exit 0; fi
echo "Error: $what: out of memory, unless somebody ended it. $less, or allow more memory: NODE_OPTIONS=--max-old-space-size=8192" >&2`;

/** Lets a small process say which page this one rendered, or which step it was at, if it runs out of memory; it starts with the first page or step that might. Does nothing where there is no shell. */
export function nameFatalPage(): void {
  if (process.platform !== 'win32') noteWorkIn(startWatcher);
}

function startWatcher(): number {
  const note = openWorkNote();
  const watcher = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'inherit', note] });
  watcher.on('error', () => noteWorkIn(undefined));
  watcher.unref();
  const pipe = watcher.stdin as Socket;
  pipe.on('error', () => {});
  pipe.unref();
  // A pipe takes a few bytes at once.
  process.on('exit', () => pipe.write('end\n'));
  return note;
}
