/** The minified `button.css`, see `build:client` in package.json. */
declare module 'docbuild-button-styles' {
  const styles: string;
  export default styles;
}
