import { type BuildTable, createBuildTable } from './build-table.ts';
import { createDeliveryTable, type DeliveryTable } from './delivery-table.ts';
import { createProjectTable, type ProjectTable } from './project-table.ts';

/** All that a store remembers, in memory. */
export interface Tables {
  readonly projects: ProjectTable;
  readonly builds: BuildTable;
  readonly deliveries: DeliveryTable;
}

/** Creates empty tables. */
export function createTables(): Tables {
  return { projects: createProjectTable(), builds: createBuildTable(), deliveries: createDeliveryTable() };
}
