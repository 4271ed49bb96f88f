// A process that owns a folder until its standard input ends.
import { DataError } from '../../data/data-error.ts';
import { takeOwnership } from '../../data/take-ownership.ts';

try {
  const own = await takeOwnership(process.argv[2]!);
  console.log('owner');
  process.stdin.resume().once('end', () => own.release());
} catch (error) {
  console.log(error instanceof DataError ? error.code : error);
}
