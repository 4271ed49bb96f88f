import { formatBytes } from '../../builder/index.ts';
import type { Finding } from './finding.ts';
import type { SeenRequest } from './proxy-watch.ts';

/** Below this a build cannot be relied on to end, bytes. */
const LEAST_BYTES = 200_000_000;
/** Below this, and this part of the disk, it is time to act. */
const LITTLE_BYTES = 2_000_000_000;
const LITTLE_SHARE = 0.1;

/** A file system, see `statfs`: bytes, and numbers of files, of which some have no limit (0). */
export interface Space {
  readonly free: number;
  readonly size: number;
  readonly freeFiles: number;
  readonly files: number;
}

/** Judges the room on the file system of some folders, as they are named to the operator. */
export function judgeSpace(folders: string, { free, size, freeFiles, files }: Space): Finding {
  const check = 'disk';
  const left = `${folders}: ${formatBytes(free)} of ${formatBytes(size)} free`;
  const advice =
    'make room: sites and builds of projects that are gone, the cache folder, logs; or move base_dir to a larger disk';
  if (free < LEAST_BYTES) return { check, status: 'error', message: `${left}; builds may fail`, advice };
  if (files > 0 && freeFiles < 10_000) {
    const message = `${folders}: room for ${freeFiles} more files only; a site is one file for each page and version`;
    return { check, status: freeFiles < 1_000 ? 'error' : 'warning', message, advice };
  }
  if (free < LITTLE_BYTES && free < size * LITTLE_SHARE) return { check, status: 'warning', message: left, advice };
  return { check, status: 'ok', message: left };
}

/** Sessions, blocks and builds of several nodes, and signatures, do with this difference; with the other one they do not. */
const CLOCK_WARNING_MS = 5_000;
const CLOCK_ERROR_MS = 60_000;

/** Judges by how much the clock of this machine is ahead of another one, ms. */
export function judgeClock(aheadMs: number, other: string): Finding {
  const check = 'clock';
  const size = Math.abs(aheadMs);
  if (size < CLOCK_WARNING_MS) return { check, status: 'ok', message: `The clock is right within seconds (${other})` };
  const seconds = Math.round(size / 1_000);
  return {
    check,
    status: size < CLOCK_ERROR_MS ? 'warning' : 'error',
    message: `The clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`,
    advice: 'let the system set it by NTP (timedatectl set-ntp true): sessions, schedules and signatures depend on it',
  };
}

/** Judges how a request came that this server has sent to a URL of its own. */
export function judgeWay(url: string, seen: SeenRequest, trusted: number): Finding {
  const check = 'proxies';
  const { host, protocol } = new URL(url);
  if (seen.host.toLowerCase() !== host) {
    return {
      check,
      status: 'error',
      message: `${url} leads here, but a proxy asks for the host "${seen.host}" in place of "${host}"`,
      advice: 'let the proxy pass on the header Host (nginx: proxy_set_header Host $host)',
    };
  }
  const ways = `${url} leads here through ${seen.entries === 1 ? 'one proxy' : `${seen.entries} proxies`}`;
  if (seen.entries !== trusted) {
    const effect =
      seen.entries > trusted
        ? 'all callers count as one, so that the limits of one hold for all'
        : 'callers can invent their address';
    return {
      check,
      status: 'error',
      message: `${ways} that add to X-Forwarded-For, but "api.trusted_proxies" is ${trusted}: ${effect}`,
      advice: `set "api.trusted_proxies" to ${seen.entries}${seen.entries < trusted ? ', or let each proxy add to X-Forwarded-For' : ''}`,
    };
  }
  if (trusted > 0 && protocol === 'https:' && !seen.hasProtocol) {
    return {
      check,
      status: 'warning',
      message: `${ways}, none of which says by X-Forwarded-Proto that readers use https`,
      advice: 'let the outermost proxy set it (nginx: proxy_set_header X-Forwarded-Proto $scheme)',
    };
  }
  return { check, status: 'ok', message: trusted === 0 ? `${url} leads here` : ways };
}

/** Judges how the last requests came, by their number of entries of `X-Forwarded-For`. */
export function judgeRequests(counts: ReadonlyMap<number, number>, trusted: number): Finding {
  const check = 'proxies';
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const those = (fits: (entries: number) => boolean): number =>
    [...counts].reduce((sum, [entries, count]) => (fits(entries) ? sum + count : sum), 0);
  if (all === 0) return { check, status: 'ok', message: 'Nobody has asked since the server started' };
  const last = `of the last ${all} requests`;
  const more = those((entries) => entries > trusted);
  if (trusted === 0 && more > 0) {
    return {
      check,
      status: 'warning',
      message: `${more} ${last} came through a proxy (X-Forwarded-For), but "api.trusted_proxies" is 0: their callers count as one`,
      advice: 'set "api.trusted_proxies" to the number of proxies in front, if they are yours',
    };
  }
  const fewer = those((entries) => entries > 0 && entries < trusted);
  if (fewer > 0) {
    return {
      check,
      status: 'warning',
      message: `${fewer} ${last} came through fewer proxies than "api.trusted_proxies" says (${trusted}): their callers can invent their address`,
      advice: 'set "api.trusted_proxies" to the number of proxies on the shortest way, and close the others',
    };
  }
  return { check, status: 'ok', message: `The last ${all} requests fit "api.trusted_proxies" (${trusted})` };
}
