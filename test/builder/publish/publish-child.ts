import { once } from 'node:events';
import { BuildError } from '../../../builder/build-error.ts';
import { publishTo, type SiteSketch } from './publish-to.ts';

/**
 * A process that publishes a site and prints the result as JSON, or dies when content `die` is produced. With `holds` it says
 * that it has started once it publishes, and goes on when its standard input ends.
 */
const { out, sketch, force, holds } = JSON.parse(process.argv[2]!) as {
  readonly out: string;
  readonly sketch: SiteSketch;
  readonly force?: boolean;
  readonly holds?: boolean;
};
const said = { isStarted: false };
try {
  if (!holds) sayStarted();
  const result = await publishTo(out, sketch, {
    force: force ?? false,
    async produce(text) {
      if (text === 'die') process.kill(process.pid, 'SIGKILL');
      sayStarted();
      if (holds && !process.stdin.readableEnded) await once(process.stdin.resume(), 'end');
      return text;
    },
  });
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  const { code, message } = error as BuildError;
  process.stdout.write(JSON.stringify({ code, message, isBuildError: error instanceof BuildError }));
}

function sayStarted(): void {
  if (!said.isStarted) process.stdout.write('started\n');
  said.isStarted = true;
}
