/** Writes a query into the page's address, so that whoever comes back, or gets the address, finds the results again; '' takes it out. */
export function writeAddress(query: string): void {
  const url = new URL(location.href);
  if (query) url.searchParams.set('q', query);
  else url.searchParams.delete('q');
  try {
    if (url.href !== location.href) history.replaceState(history.state, '', url);
  } catch {
    // A page without an origin of its own keeps its address.
  }
}
