import { spawnSync } from 'node:child_process';
import type { Corpus } from '../corpus/open-corpus.ts';
import { runProcess } from '../measure/run-process.ts';
import { openEleventy } from './eleventy.ts';
import { openHugo } from './hugo.ts';
import type { Peer } from './peer.ts';

/** The generators docbuild is compared with. */
export interface Peers {
  readonly hugo: Peer;
  readonly eleventy: Peer;
}

/** Installs the peers: Hugo from Debian's packages when it is not there, Eleventy from npm into a folder. */
export async function openPeers(corpus: Corpus, folder: string): Promise<Peers> {
  if (spawnSync('hugo', ['version']).status !== 0) {
    if (process.getuid?.() !== 0)
      throw new Error('Hugo is not installed and only root can install it: apt-get install hugo');
    await runProcess('apt-get', ['update', '--quiet']);
    await runProcess('apt-get', ['install', '--yes', '--no-install-recommends', 'hugo']);
  }
  return { hugo: openHugo(corpus), eleventy: await openEleventy(corpus, folder) };
}
