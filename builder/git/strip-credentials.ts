/**
 * Returns the text with the credentials of every URL in it removed: `https://u:p@host/x` becomes `https://host/x`.
 * Takes a location as well as a whole message. The user of an SSH address is part of it and stays; its password goes.
 */
export function stripCredentials(text: string): string {
  return text
    .replace(/\b((?:git\+)?ssh:\/\/[^\s/?#:@]*):[^\s/?#"'<>]*@/gi, '$1@')
    .replace(/\b((?!ssh:|git\+ssh:)[a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, '$1');
}
