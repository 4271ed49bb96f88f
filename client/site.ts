/**
 * What a documentation page does beyond HTML: switches of theme, version and language, search, drawer, menus, copy buttons, table of contents that follows.
 * Loaded in the head without `defer`, so that the stored theme holds before the first paint; all else waits for the page.
 * Words come from data attributes. Without this script every page can still be read and every place reached.
 */
import { addCopyButtons } from './copy-buttons.ts';
import { handleDrawers } from './drawers.ts';
import { listElsewhere } from './elsewhere.ts';
import { setUpFeedback } from './feedback.ts';
import { followReading } from './follow-reading.ts';
import { handleMenus } from './menus.ts';
import { openForPrint } from './print.ts';
import { setUpSearch } from './search-opener.ts';
import { keepSidebar } from './sidebar-place.ts';
import { openStorage } from './site-storage.ts';
import { nameVersion, setUpSwitches } from './switches/set-up-switches.ts';
import { synchronizeTabs } from './tabs.ts';
import { applyStoredTheme, setUpThemeSwitch } from './theme.ts';
import { placeVersionNotice, setUpVersionNotice } from './version-notice.ts';

const { src } = document.currentScript as HTMLScriptElement;
const storage = openStorage(src);
const session = openStorage(src, 'sessionStorage');

applyStoredTheme(storage);
placeVersionNotice(src, storage);
nameVersion(session);
keepSidebar({ choices: storage, session });
openForPrint();
document.addEventListener('DOMContentLoaded', () => {
  setUpThemeSwitch(storage);
  setUpSearch();
  handleDrawers();
  setUpSwitches(session);
  setUpVersionNotice(src, storage);
  listElsewhere();
  handleMenus();
  synchronizeTabs(storage);
  addCopyButtons();
  setUpFeedback();
  followReading();
});
