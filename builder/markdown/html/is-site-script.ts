import type { Tag } from './scan-tag.ts';

const siteAttributes = new Set(['setup', 'lang', 'module', 'scoped', 'client']);

/**
 * Tells whether a `<script>` or `<style>` is one that another generator compiles (Vue's `setup`, `lang="ts"`,
 * `scoped` …). A script that imports or exports without being a module is one, too: no browser would run it.
 */
export function isSiteScript(tag: Tag, content: string): boolean {
  const name = tag.name.toLowerCase();
  if (name !== 'script' && name !== 'style') return false;
  if (tag.attributes.some((attribute) => siteAttributes.has(attribute.name.toLowerCase()))) return true;
  return name === 'script' && tag.attributes.length === 0 && /^\s*(?:import|export)\s/m.test(content);
}
