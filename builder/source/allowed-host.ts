/** The name of a host in lower case, with `*.` before it for all below, or `*` for all hosts. */
export const HOST_PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)$/;
