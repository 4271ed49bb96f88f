/** The minified `button.css`, see `imports` and `build:button` in package.json. */
declare module '#button-styles' {
  const styles: string;
  export default styles;
}
