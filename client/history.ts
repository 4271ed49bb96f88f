/** The history of a page, and the choice of versions to compare; loaded for readers who ask for them. */
export { chooseVersions } from './history/choose-versions.ts';
export { showHistory } from './history/show-history.ts';
