/** The minified `button.css`, see `imports` in package.json and build.js. */
declare module '#button-styles' {
  const styles: string;
  export default styles;
}
