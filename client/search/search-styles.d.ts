/** The minified `search.css`, see `imports` and `build:search` in package.json. */
declare module '#search-styles' {
  const styles: string;
  export default styles;
}
