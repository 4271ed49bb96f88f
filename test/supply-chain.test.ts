import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { createFolder } from './helpers/create-repository.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Paths of the packages that bundles contain: shipped, though npm knows them as dependencies of the development. */
const bundled = new Set(JSON.parse(read('dist/bundled.json')) as readonly string[]);
const isShipped = (path: string, { dev }: LockedPackage): boolean => dev !== true || bundled.has(path);

/** Licences that what is shipped may have, each of its own or as a part of an expression. */
const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT'],
  ...['PSF-2.0', 'Python-2.0', 'Zlib'],
  // Of a font.
  'OFL-1.1',
]);
/** Those of what only builds and tests docbuild. */
const ALLOWED_HERE = new Set([...ALLOWED, 'CC-BY-SA-4.0', 'MPL-2.0', 'Unlicense']);

/** Returns whether an expression such as `(MIT OR GPL-3.0)` can be kept with these licences alone. */
function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  return expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => allowed.has(part)));
}

/** The lock file lacks what packages say in an old form. */
function findLicence(path: string, { license }: LockedPackage): string {
  if (license !== undefined) return license;
  const file = join(root, path, 'package.json');
  if (!existsSync(file)) return 'unknown';
  const own = JSON.parse(readFileSync(file, 'utf8')) as { license?: string; licenses?: readonly { type: string }[] };
  if (own.license !== undefined) return own.license;
  if (own.licenses) return own.licenses.map(({ type }) => type).join(' OR ');
  const text = readdirSync(join(root, path)).find((name) => /^licen[cs]e/i.test(name));
  return text !== undefined && isMit(readFileSync(join(root, path, text), 'utf8')) ? 'MIT' : 'unknown';
}

/** Some packages have the text of their licence alone: what it grants, with nothing but the notice asked for. */
function isMit(text: string): boolean {
  const words = text.replace(/\s+/g, ' ');
  return [
    'Permission is hereby granted, free of charge, to any person obtaining a copy of this software',
    'without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies',
    'The above copyright notice and this permission notice shall be included',
  ].every((sentence) => words.includes(sentence));
}

test('supply chain: licence expressions are read as what they allow', (t) => {
  const allowed = new Set(['MIT', 'ISC']);
  for (const good of ['MIT', '(MIT OR GPL-3.0)', 'GPL-3.0 OR ISC', '(MIT AND ISC)'])
    t.true(isAllowed(good, allowed), good);
  for (const bad of ['GPL-3.0', '(MIT AND GPL-3.0)', 'unknown', '']) t.false(isAllowed(bad, allowed), bad);
});

test('supply chain: every package has a licence that docbuild may be shipped, or built, with', (t) => {
  t.true(locked.length > 100);
  const wrong = locked
    .map(([path, one]) => ({ name: nameOf(path), licence: findLicence(path, one), shipped: isShipped(path, one) }))
    .filter(({ licence, shipped }) => !isAllowed(licence, shipped ? ALLOWED : ALLOWED_HERE))
    .map(({ name, licence }) => `${name}: ${licence}`);
  t.deepEqual(wrong, []);
});

test('supply chain: every package is locked to one version and to its content', (t) => {
  const loose = locked.filter(
    ([, { version, integrity, link }]) => link || !/^\d+\.\d+\.\d+/.test(version) || !/^sha512-/.test(integrity ?? ''),
  );
  t.deepEqual(
    loose.map(([path]) => path),
    [],
  );
});

test.serial(
  'supply chain: the list of what docbuild consists of (CycloneDX) names every package that it contains or runs with',
  (t) => {
    const file = join(createFolder(t), 'sbom.json');
    execFileSync(process.execPath, ['.ci/sbom.js', file], { cwd: root });
    const { bomFormat, components, dependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    t.is(bomFormat, 'CycloneDX');
    const listed = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);
    const wanted = locked
      .filter(([path, one]) => isShipped(path, one))
      .map(([path, { version }]) => `${nameOf(path)}@${version}`);
    t.deepEqual([...new Set(listed)].sort(), [...new Set(wanted)].sort());
    const known = new Set(dependencies.map(({ ref }) => ref));
    t.true(bundled.size > 50 && listed.some((name) => name.startsWith('koa@')));
    t.true(dependencies.every(({ dependsOn }) => dependsOn.every((ref) => known.has(ref))));
  },
);

/** Runs `.ci/audit` with a program in place of npm. */
function runAudit(t: Parameters<typeof createFolder>[0], npm: string) {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  const { PATH } = process.env;
  return spawnSync(join(root, '.ci/audit'), { encoding: 'utf8', env: { PATH: `${folder}:${PATH}` } });
}

/** Returns what `npm audit --json` says of packages with a fault. */
function reportFaults(faults: Readonly<Record<string, { severity: string; nodes: readonly string[] }>>): string {
  const vulnerabilities = Object.entries(faults).map(([name, one]) => [name, { name, range: '<1', ...one }]);
  return JSON.stringify({ vulnerabilities: Object.fromEntries(vulnerabilities), metadata: { vulnerabilities: {} } });
}

test('supply chain: .ci/audit fails for known vulnerabilities of what is shipped, bundled packages included', (t) => {
  const audit = (faults: Parameters<typeof reportFaults>[0]) => runAudit(t, `echo '${reportFaults(faults)}'; exit 1`);
  t.is(runAudit(t, `echo '${reportFaults({})}'`).status, 0);
  const inBundle = audit({ koa: { severity: 'high', nodes: ['node_modules/koa'] } });
  t.deepEqual([inBundle.status, inBundle.stdout], [1, 'koa <1: high (node_modules/koa)\n']);
  t.is(audit({ 'badge-maker': { severity: 'critical', nodes: ['node_modules/badge-maker'] } }).status, 1);
  t.is(audit({ koa: { severity: 'moderate', nodes: ['node_modules/koa'] } }).status, 0);
  t.is(audit({ ava: { severity: 'critical', nodes: ['node_modules/ava'] } }).status, 0, 'it only tests docbuild');
});

test('supply chain: .ci/audit says where nobody can be asked', (t) => {
  for (const npm of [`echo '{"message": "405 Method Not Allowed", "error": {}}'; exit 1`, 'exit 1', 'echo; exit 0']) {
    const { status, stderr } = runAudit(t, npm);
    t.is(status, 3, npm);
    t.regex(stderr, /^npm audit: not tried/);
  }
  t.regex(read('.ci/run'), /^ {2}\.ci\/audit$/m);
});

/** Files of the repository that name images or actions. */
function listFiles(folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:\.ya?ml|Dockerfile)$/.test(name))
    .map((name) => join(folder, name));
}

test('supply chain: images are named by an exact version or a digest, and actions by the commit they are at', (t) => {
  const files = ['action.yml', ...['.github', '.ci', 'deploy', 'templates/start'].flatMap(listFiles)];
  t.true(files.includes('deploy/Dockerfile') && files.includes('templates/start/github.yml'));
  const images: string[] = [];
  const actions: string[] = [];
  for (const file of files) {
    const text = read(file);
    if (/Dockerfile$/.test(file))
      images.push(...[...text.matchAll(/^FROM (?!scratch$)(\S+)/gm)].map(([, name]) => name!));
    else {
      for (const [, name] of text.matchAll(/^\s*(?:- )?image: *["']?([^\s"'#]+)/gm)) images.push(name!);
      for (const [, name] of text.matchAll(/^\s*(?:- )?uses: *(\S+ *#? *\S*)/gm)) actions.push(name!);
      t.deepEqual(
        parseAllDocuments(text).flatMap(({ errors }) => errors),
        [],
        file,
      );
    }
  }
  const loose = images.filter(
    // docbuild's own is built from here.
    (name) => name !== 'docbuild' && !/@sha256:[0-9a-f]{64}$/.test(name) && !/:v?\d+\.\d+(?:\.\d+)?(?:-|$)/.test(name),
  );
  t.true(images.length >= 5 && actions.length >= 4);
  t.deepEqual(loose, []);
  t.deepEqual(
    // What `docbuild new` puts there is pinned, see test/cli/new.test.ts.
    actions.filter((name) => name !== '__ACTION__' && !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name)),
    [],
  );
});
