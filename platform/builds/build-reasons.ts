import { createPhraseReader, type Phrase, phrase } from '../../lib/phrase.ts';

/*
 * Why builds end as they do, where it is no message of the engine. Builds keep these texts in English.
 */

export const CANCELLED = phrase`Cancelled`;
export const PROJECT_REMOVED = phrase`The project was removed`;
export const STOPPED = phrase`The server was stopped while this build ran`;
/** Of several nodes, the one that ran a build is dead. */
export const LOST = phrase`The node that ran this build is gone`;
/** Why a build that has begun waits. */
export const PUT_BACK = phrase`Others could be built quickly; this build begins again when one that takes long has ended`;
/** Reason of a removal that turned into a build. */
export const STILL_THERE = phrase`The ref was reported as deleted, but it exists; it was built`;
/** Reason of a build of a pushed branch that is work in progress. */
export const NO_VERSION = phrase`The branch is not named like a version, so it is not published; other changes were`;
/** Events at the server before, and after, a build process had done its work. */
export const NOT_BEGUN = phrase`The server failed while it prepared this build, for no fault of the repository; build again, and look into the server log if it fails again`;
export const NOT_PUBLISHED = phrase`The server failed while it published what was built, for no fault of the repository; build again, and look into the server log if it fails again`;
/** Store, disk or memory are away or full. */
export const NOT_NOW = phrase`The server cannot build at present, its log says why; this build begins again by itself`;
export const newerCommit = (build: string): Phrase => phrase`Build ${build} builds a newer commit`;
export const allVersions = (build: string): Phrase => phrase`Build ${build} builds all versions`;
export const checkedForRemoval = (build: string): Phrase => phrase`Build ${build} checks whether the ref is gone`;
export const interruptedOften = (times: number): Phrase =>
  phrase`The process that ran this build ended, ${times} times; it begins again, after a longer wait each time`;
export const timedOut = (limit: string): Phrase => phrase`The build took longer than ${limit}`;
export const commandTimedOut = (name: string, seconds: number): Phrase =>
  phrase`The command "${name}" took longer than ${seconds} s`;
export const commandFailed = (name: string, how: string): Phrase => phrase`The command "${name}" failed (${how})`;

/** Returns the reason of a build as a phrase; undefined for a message of the engine. */
export const readBuildReason = createPhraseReader([
  ...[CANCELLED, PROJECT_REMOVED, STOPPED, LOST, PUT_BACK, STILL_THERE, NO_VERSION],
  ...[NOT_BEGUN, NOT_PUBLISHED, NOT_NOW],
  ...[newerCommit(''), allVersions(''), interruptedOften(0), checkedForRemoval(''), timedOut('')],
  ...[commandTimedOut('', 0), commandFailed('', '')],
]);
