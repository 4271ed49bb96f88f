/** Beginnings of the names of machines' branches. */
const BOTS =
  'dependabot renovate snyk greenkeeper pyup imgbot changeset-release release-please gh-readonly-queue pre-commit-ci weblate crowdin l10n i18n copilot codex claude cursor';
/** People's words for their work, at the beginning of a name or between two of its separators. */
const WORK = 'feat\\w* fix\\w* hotfix\\w* bugfix\\w* chore refactor\\w* wip draft test\\w*';
/** Words for work at the beginning only: `upgrade/3.0`, but `node-upgrade-guide-1.2`. */
const WORK_AT_START =
  'bug\\w* translat\\w* ci cd perf style deps? update\\w* upgrade\\w* bump\\w* issue\\w* pr pull\\w* patch revert\\w* backport\\w* cherry-pick\\w* merge\\w* topic task user\\w* temp tmp';
/** A branch that is for, or leads to, a version is none: `headers-for-v6`. */
const PREPOSITIONS = 'for to from in on with of and';
/** Numbers right behind these are no versions: `gh-1234`. */
const COUNTED = 'issue pr gh bug patch part step try attempt';
/** People's words for releases. */
const RELEASES = 'v rel releases? stable maint\\w* support ver versions? lts branch\\w* series';

const oneOf = (...lists: readonly string[]): string => `(?:${lists.join(' ').replaceAll(' ', '|')})`;

const IS_WORK = new RegExp(
  [
    `^${oneOf(BOTS, WORK, WORK_AT_START)}(?![a-z])`,
    `[/_-]${oneOf(WORK)}[/_-]`,
    `(?:^|[/_-])${oneOf(PREPOSITIONS)}[/_-]`,
    `(?:^|[/_-])${oneOf(COUNTED)}[/_-]?$`,
  ].join('|'),
);
const IS_OF_RELEASES = new RegExp(`^(?:|docs?[-_./@]?|(?:.*[/@_-])?${oneOf(RELEASES)}[-_./@]?)$`);
/** A sentence: what is released is called by fewer words, unless it says that it is (`release/…`). */
const IS_SENTENCE = new RegExp(`^(?!${oneOf(RELEASES)}/)(?:[^/_-]+[/_-]+){4}`);
/** Branches of somebody: `name/anything-1.2`. */
const IS_PERSONAL = new RegExp(`^(?!${oneOf(RELEASES, 'docs?')}/).*/`);

/**
 * Returns whether a branch is a line of versions by what stands before its number, in lower case: not one of work (`fix/1.9-crash`,
 * `dependabot/x-1.2`). What has one number alone is called like releases; anything of up to three words may stand before two.
 */
export function isLineOfVersions(before: string, hasTwoNumbers: boolean): boolean {
  if (IS_WORK.test(before) || IS_SENTENCE.test(before)) return false;
  return isOfReleases(before) || (hasTwoNumbers && !IS_PERSONAL.test(before));
}

/** Returns whether a text is nothing, or what people call what they release: `release/`, `stable-`, `v`. */
export function isOfReleases(text: string): boolean {
  return IS_OF_RELEASES.test(text);
}

/** Branches that people keep for readers, and that have no number. */
const CHANNEL =
  /^(?:main|master|trunk|stable|latest|current|lts|next|v-?next|edge|nightly|canary|unstable|testing|preview|alpha|beta|rc|release|pre-?release|dev|devel|develop|development)$/i;

/** Returns whether a branch is one that people keep for readers: `main`, `next`, `stable`. */
export function isChannel(name: string): boolean {
  return CHANNEL.test(name);
}
