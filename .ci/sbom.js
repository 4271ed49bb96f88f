// Writes what docbuild runs with, as a list in CycloneDX's format: node .ci/sbom.js FILE. It is that of package-lock.json, so that it
// names the optional packages of other systems, too. `npm sbom --omit=dev` alone leaves out what tools of the development also use.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: node .ci/sbom.js FILE');
  process.exit(2);
}
const cwd = dirname(dirname(fileURLToPath(import.meta.url)));
const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  cwd,
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
const list = JSON.parse(text);
const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
const components = list.components.filter((component) => !isForDevelopment(component));
const kept = new Set([list.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = list.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
writeFileSync(file, `${JSON.stringify({ ...list, components, dependencies }, null, 2)}\n`);
