// A process that holds a lock file until its standard input ends.
import { takeLock } from '../../lib/file-lock.ts';

const outcome = await takeLock(process.argv[2]!);
console.log(outcome.lock ? 'held' : `busy: ${outcome.holder}`);
process.stdin.resume().once('end', () => outcome.lock?.release());
