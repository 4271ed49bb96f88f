/**
 * Syntax that generators read differently: shortcodes and template tags (`{{% %}}`, `{% %}`, `{{ }}`), attributes in
 * braces (`{: .x }`, `{#id}`, `{/* #id *\/}`), icons (`:material-x:`), containers and directives (`:::`), modules and
 * components of MDX, and links that only one of them resolves (`@/`).
 */
const FOREIGN = /\{[{%:#./*]|:::|^(?:import|export)\s|^\s*<\/?[A-Z]|:[a-z]+-[a-z-]+:|\]\(@\/|^\+\+\+/m;

/**
 * Returns whether the generator a page was written for may change how it renders. Pages without any such syntax are
 * rendered once for all of them, so that versions before and after a change of generator share them.
 */
export function dependsOnGenerator(text: string): boolean {
  return FOREIGN.test(text);
}
