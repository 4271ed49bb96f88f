/**
 * Gives the text with the credentials of every URL in it removed: `https://u:p@host/x` becomes `https://host/x`.
 * Takes a location as well as a whole message. The `git@` of an SSH address is a name, not a secret, and stays.
 */
export function stripCredentials(text: string): string {
  return text.replace(/\b((?!ssh:|git\+ssh:)[a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, '$1');
}
