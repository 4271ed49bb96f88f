/** What only readers need who ask for the history of a page or choose versions to compare; loaded when they do. */
export { chooseVersions } from './history/choose-versions.ts';
export { showHistory } from './history/show-history.ts';
