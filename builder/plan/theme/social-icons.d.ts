/** Paths of drawings by the keys of `NETWORKS`, written by build.js. */
declare module '#social-icons' {
  const icons: Readonly<Record<string, string>>;
  export default icons;
}
