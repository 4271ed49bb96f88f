import { setTimeout as sleep } from 'node:timers/promises';
import { BuildError } from '../../../builder/build-error.ts';
import { publishTo, type SiteSketch } from './publish-to.ts';

/** A process of its own that publishes a site, prints what came of it as JSON, or dies when content `die` is produced. */
const { out, sketch, force, slowMs } = JSON.parse(process.argv[2]!) as {
  readonly out: string;
  readonly sketch: SiteSketch;
  readonly force?: boolean;
  readonly slowMs?: number;
};
try {
  process.stdout.write('started\n');
  const result = await publishTo(out, sketch, {
    force: force ?? false,
    async produce(text) {
      if (text === 'die') process.kill(process.pid, 'SIGKILL');
      if (slowMs !== undefined) await sleep(slowMs);
      return text;
    },
  });
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  const { code, message } = error as BuildError;
  process.stdout.write(JSON.stringify({ code, message, isBuildError: error instanceof BuildError }));
}
