/** The minified `search.css`, see `imports` in package.json and build.js. */
declare module '#search-styles' {
  const styles: string;
  export default styles;
}
