/** What the page behind a form says: words of an address, so that no text of it is ever shown. */
const SAID = {
  'logged-out': 'You are logged out.',
  registered: 'Your account is there. Log in now.',
  'password-changed': 'Your password is changed. All other logins have ended.',
  'key-created': 'The key is created.',
  'key-disabled': 'The key is disabled.',
  'key-enabled': 'The key is active again.',
  'key-deleted': 'The key is deleted.',
  shortened: 'Here is your short URL.',
  'short-url-disabled': 'The short URL is disabled.',
  'short-url-enabled': 'The short URL is active again.',
  'user-created': 'The account is created.',
  'user-disabled': 'The account is disabled; its logins have ended.',
  'user-enabled': 'The account is active again.',
  'user-verified': 'The account is verified.',
  'user-unverified': 'The account is not verified any more.',
  'user-password': 'The password is changed; all logins of the account have ended.',
  granted: 'The payment is booked.',
  blocked: 'The block is on the list.',
  unblocked: 'The block is removed.',
  'build-requested': 'The build is asked for.',
  'build-cancelled': 'The build is cancelled.',
  replayed: 'The delivery is done again; its answer says what came of it.',
} as const;

/** A word of the list. */
export type Said = keyof typeof SAID;

const texts: ReadonlyMap<string, string> = new Map(Object.entries(SAID));

/** Returns the text of a word from outside; '' where it is none of the list. */
export function findSaid(word: string | null): string {
  return texts.get(word ?? '') ?? '';
}
