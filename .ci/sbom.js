// Writes what docbuild consists of, as a list in CycloneDX's format: node .ci/sbom.js FILE. It is that of package-lock.json, so that it
// names the optional packages of other systems, too: packages that are installed with docbuild, and those that `npm run build` has put
// into its bundles, which are dependencies of the development alone as npm sees it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: node .ci/sbom.js FILE');
  process.exit(2);
}
const cwd = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => JSON.parse(readFileSync(join(cwd, path), 'utf8'));
const { packages } = read('package-lock.json');
const bundled = new Set(
  read('dist/bundled.json').map((path) => `${path.replace(/^.*node_modules\//, '')}@${packages[path].version}`),
);
const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  cwd,
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
const list = JSON.parse(text);
const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
const components = list.components.filter(
  (component) => !isForDevelopment(component) || bundled.has(component['bom-ref']),
);
const kept = new Set([list.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = list.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
// Equal sources give equal lists: no number by chance, no time.
const { serialNumber, metadata, ...others } = list;
const { timestamp, ...facts } = metadata;
writeFileSync(file, `${JSON.stringify({ ...others, metadata: facts, components, dependencies }, null, 2)}\n`);
