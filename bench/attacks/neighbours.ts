import { join } from 'node:path';
import { serveGit } from '../../test/helpers/serve-git.ts';
import { createSmall, measureNeighbour, NEIGHBOUR_MS } from '../cases/neighbour.ts';
import { type Attack, type Check, describeTimes } from './attack.ts';

/** A slow project beside a fast one: what the case `neighbour` measures, with what needs little of the processor. */
export const neighbourAttack: Attack = {
  name: 'neighbours',
  title: 'Pushes of one page while another project builds for a minute',
  async run({ folder, context, say }) {
    const small = createSmall(folder);
    const git = await serveGit(context, folder);
    const stalling = await serveGit(context, folder);
    stalling.holdAfterBytes = 100;
    const url = `${git.url}/small.git`;
    const neighbours = [
      { name: 'a command of a minute', projects: [['-u', url, '--before', 'sleep 60']] },
      { name: 'a git server that stalls', projects: [['-u', `${stalling.url}/small.git`]] },
    ];
    const checks: Check[] = [];
    for (const [number, neighbour] of neighbours.entries()) {
      say(neighbour.name);
      const { ms } = await measureNeighbour({ folder: join(folder, `server-${number}`), small, url, neighbour });
      checks.push({
        name: `beside ${neighbour.name}, each of ${ms.length} pushes is live within ${NEIGHBOUR_MS / 1000} s`,
        holds: ms.every((one) => one <= NEIGHBOUR_MS),
        seen: describeTimes(ms),
      });
    }
    return checks;
  },
};
