/** The templates of `templates/site/` as functions by name; written by `compile-templates.ts`. */
declare module '#site-templates' {
  const templates: Readonly<Record<string, object>>;
  export default templates;
}
