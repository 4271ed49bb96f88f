/**
 * The script of a documentation page: switches of theme, version and language, search, drawer, menus, copy buttons, table of contents that follows.
 * Loaded in the head without `defer`, so that the stored theme holds before the first paint; all else waits for the page.
 * Words come from data attributes. Without this script every page can still be read and every place reached.
 */

import { addCodeTools } from './code-tools.ts';
import { openComparison } from './compare-opener.ts';
import { setUpCopyPage } from './copy-page.ts';
import { handleDrawers } from './drawers.ts';
import { listElsewhere } from './elsewhere.ts';
import { loadEmbeds } from './embeds.ts';
import { setUpFeedback } from './feedback.ts';
import { fitLinks } from './fit-links.ts';
import { followReading } from './follow-reading.ts';
import { setUpGoneNotice } from './gone-notice.ts';
import { setUpHistory } from './history-opener.ts';
import { handleMenus } from './menus.ts';
import { showNearest } from './nearest-page.ts';
import { tellOfOriginal } from './original-notice.ts';
import { openForPrint } from './print.ts';
import { requestAhead } from './request-ahead.ts';
import { handleSearch } from './search-opener.ts';
import { keepSidebar } from './sidebar-place.ts';
import { openStorage } from './site-storage.ts';
import { nameVersion, setUpSwitches } from './switches/set-up-switches.ts';
import { watchTables } from './tables.ts';
import { synchronizeTabs } from './tabs.ts';
import { applyStoredTheme, setUpThemeSwitch } from './theme.ts';
import { placeVersionNotice, setUpVersionNotice } from './version-notice.ts';
import { enlargePictures } from './zoom.ts';

const { src } = document.currentScript as HTMLScriptElement;
const storage = openStorage(src);
const session = openStorage(src, 'sessionStorage');

applyStoredTheme(storage);
placeVersionNotice(src, storage);
nameVersion(session);
setUpGoneNotice(session);
keepSidebar({ choices: storage, session });
openForPrint();
fitLinks();
loadEmbeds();
handleSearch(storage);
document.addEventListener('DOMContentLoaded', () => {
  setUpThemeSwitch(storage);
  handleDrawers();
  setUpSwitches(session);
  openComparison();
  setUpVersionNotice(src, storage);
  showNearest(listElsewhere()).catch(() => {});
  tellOfOriginal(src);
  fitLinks();
  handleMenus();
  synchronizeTabs(storage);
  addCodeTools();
  watchTables();
  enlargePictures();
  setUpCopyPage();
  setUpFeedback();
  setUpHistory();
  followReading();
  requestAhead(src);
});
