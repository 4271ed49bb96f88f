import { dirname, resolve } from 'node:path';
import type { Accounts } from '../../data/accounts/accounts.ts';
import { createPasswords } from '../../data/accounts/create-passwords.ts';
import { type Blocks, createBlocks } from '../../data/blocks/create-blocks.ts';
import type { Settings } from '../../data/config/settings.ts';
import { createQuotas } from '../../data/quotas/create-quotas.ts';
import type { Quotas } from '../../data/quotas/quotas.ts';
import type { Store } from '../../data/store.ts';
import { createLogin, type Login } from '../accounts/create-login.ts';
import { createRegistration, type Registration } from '../accounts/create-registration.ts';
import { type Callers, createCallers } from '../http/callers.ts';
import type { DailyImages } from '../image/create-daily-images.ts';
import { openDailyImages } from '../image/open-daily-images.ts';
import { createIpRegions, type IpRegions } from '../ip/create-ip-regions.ts';

/** What the routes of the utility API work with. */
export interface Utility {
  /** What is done to accounts works with it. */
  readonly accounts: Accounts;
  /** Who calls: credentials, addresses, origins. */
  readonly callers: Callers;
  /** Logs somebody in; all ways in share it. */
  readonly login: Login;
  /** Lets anybody create an account, where that is on; all ways in share it. */
  readonly registration: Registration;
  readonly quotas: Quotas;
  readonly blocks: Blocks;
  readonly dailyImages: DailyImages;
  readonly ipRegions: IpRegions;
}

/** Opens what the utility API works with; jobs begin with `dailyImages.start()`. */
export function openUtility(context: {
  readonly settings: Settings;
  readonly store: Store;
  /** The configuration's file; paths in it are relative to its folder. */
  readonly file: string | undefined;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
}): Utility {
  const { settings, store, file, now, onWarning, onError } = context;
  const config = settings.current();
  const accounts: Accounts = {
    store,
    passwords: createPasswords(),
    now,
    get tokenDays() {
      return settings.current().auth.token_days;
    },
  };
  const callers = createCallers(settings, accounts);
  const { db4, db6, lang } = config.utility.ip;
  const findFile = (path: string): string => (path === '' ? '' : resolve(dirname(file ?? '.'), path));
  return {
    accounts,
    callers,
    login: createLogin(accounts, callers.sourceOf),
    registration: createRegistration(settings, accounts, callers.sourceOf),
    quotas: createQuotas({ store: store.quotas, timezone: config.timezone, now, onError }),
    blocks: createBlocks({ store: store.blocks, now }),
    dailyImages: openDailyImages({ config, store: store.images, onWarning, now }),
    ipRegions: createIpRegions({
      ...{ db4: findFile(db4), db6: findFile(db6), lang, onWarning },
      nowMs: () => performance.now(),
    }),
  };
}
