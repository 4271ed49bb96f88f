import { type BlockTable, createBlockTable } from './block-table.ts';
import { type BuildTable, createBuildTable } from './build-table.ts';
import { createDeliveryTable, type DeliveryTable } from './delivery-table.ts';
import { createImageTable, type ImageTable } from './image-table.ts';
import { createInclusionTable, type InclusionTable } from './inclusion-table.ts';
import { createKeyTable, type KeyTable } from './key-table.ts';
import { createLedgerTable, type LedgerTable } from './ledger-table.ts';
import { createProjectTable, type ProjectTable } from './project-table.ts';
import { createSessionTable, type SessionTable } from './session-table.ts';
import { createShortUrlTable, type ShortUrlTable } from './short-url-table.ts';
import { createUsageTable, type UsageTable } from './usage-table.ts';
import { createUserTable, type UserTable } from './user-table.ts';

/** All that a store remembers, in memory. */
export interface Tables {
  readonly projects: ProjectTable;
  readonly builds: BuildTable;
  readonly deliveries: DeliveryTable;
  readonly users: UserTable;
  readonly sessions: SessionTable;
  readonly keys: KeyTable;
  readonly usage: UsageTable;
  readonly ledger: LedgerTable;
  readonly blocks: BlockTable;
  readonly images: ImageTable;
  readonly inclusions: InclusionTable;
  readonly shortUrls: ShortUrlTable;
}

/** Creates empty tables. */
export function createTables(): Tables {
  return {
    projects: createProjectTable(),
    builds: createBuildTable(),
    deliveries: createDeliveryTable(),
    users: createUserTable(),
    sessions: createSessionTable(),
    keys: createKeyTable(),
    usage: createUsageTable(),
    ledger: createLedgerTable(),
    blocks: createBlockTable(),
    images: createImageTable(),
    inclusions: createInclusionTable(),
    shortUrls: createShortUrlTable(),
  };
}
