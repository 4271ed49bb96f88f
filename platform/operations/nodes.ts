import { operation } from './operation.ts';

/** Operations on the processes of the service. */
export const nodeOperations = {
  /** Returns the processes that serve or build, in the order of their starts, also those that were killed within a day. */
  listNodes: operation((_: object, { nodes }) => nodes.list(), 'none'),
};
