/** Returns a URL's host as it is compared: lower case, without port, the brackets of IPv6 and the dot that may end a name. */
export function findHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
}
