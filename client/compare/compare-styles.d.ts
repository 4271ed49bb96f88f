/** The minified `compare.css`, see `imports` in package.json and build.js. */
declare module '#compare-styles' {
  const styles: string;
  export default styles;
}
