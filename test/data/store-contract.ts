import type { Adapter } from './contract/adapter.ts';
import { testBuilds } from './contract/builds.ts';
import { testChanges } from './contract/changes.ts';
import { testDeliveries } from './contract/deliveries.ts';
import { testProjects } from './contract/projects.ts';
import { testRandomly } from './contract/random.ts';

export type { Adapter } from './contract/adapter.ts';

/** Declares the tests that every adapter has to pass: what `data/store.ts` says. */
export function testStore(adapter: Adapter): void {
  testProjects(adapter);
  testBuilds(adapter);
  testDeliveries(adapter);
  testChanges(adapter);
  testRandomly(adapter);
}
