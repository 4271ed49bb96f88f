import { spawnSync } from 'node:child_process';
import type { Corpus } from '../corpus/open-corpus.ts';
import type { Contender } from '../measure/measure-in-turn.ts';
import { runProcess } from '../measure/run-process.ts';
import { openEleventy } from './eleventy.ts';
import { openHugo } from './hugo.ts';

/** Another generator on the same pages. Each call lays out its input below a folder and returns what can be measured. */
export interface Peer {
  readonly version: string;
  /** All tags in all languages. */
  all(folder: string): Contender;
  /** The newest tag in all languages. */
  newest(folder: string): Contender;
  /** Where they write to. */
  output(folder: string): string;
}

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
