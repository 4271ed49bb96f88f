import type { Adapter } from './contract/adapter.ts';
import { testAudit } from './contract/audit.ts';
import { testBlocks } from './contract/blocks.ts';
import { testBuilds } from './contract/builds.ts';
import { testChanges } from './contract/changes.ts';
import { testDeliveries } from './contract/deliveries.ts';
import { testImages } from './contract/images.ts';
import { testInclusions } from './contract/inclusions.ts';
import { testKeys } from './contract/keys.ts';
import { testLimits } from './contract/limits.ts';
import { testNotifications } from './contract/notifications.ts';
import { testPolls } from './contract/polls.ts';
import { testProjects } from './contract/projects.ts';
import { testPurges } from './contract/purges.ts';
import { testQuotas } from './contract/quotas.ts';
import { testRandomly } from './contract/random.ts';
import { testRedirects } from './contract/redirects.ts';
import { testSessions } from './contract/sessions.ts';
import { testShortUrls } from './contract/short-urls.ts';
import { testTurns } from './contract/turns.ts';
import { testUsers } from './contract/users.ts';

export type { Adapter } from './contract/adapter.ts';

/** Declares the tests that every adapter has to pass: what `data/store.ts` says. */
export function testStore(adapter: Adapter): void {
  testProjects(adapter);
  testBuilds(adapter);
  testDeliveries(adapter);
  testNotifications(adapter);
  testUsers(adapter);
  testSessions(adapter);
  testKeys(adapter);
  testQuotas(adapter);
  testBlocks(adapter);
  testImages(adapter);
  testInclusions(adapter);
  testShortUrls(adapter);
  testRedirects(adapter);
  testPurges(adapter);
  testLimits(adapter);
  testPolls(adapter);
  testTurns(adapter);
  testAudit(adapter);
  testChanges(adapter);
  testRandomly(adapter);
}
