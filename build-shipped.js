import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/*
 * What the package contains of others, for build.js: bundles hide the packages that they are made of, whose licences, known
 * vulnerabilities and types still count.
 */

/**
 * Writes two files: `dist/bundled.json`, a list of the bundled packages by their paths in package-lock.json, which `.ci/sbom.js` and
 * `.ci/audit` read, and `dist/NOTICES.txt`, their licences, which say that copies must contain them. `modules` are paths of files, all
 * of which that are not below a `node_modules` are ours.
 */
export function writeNotices(folder, modules) {
  const packages = [...new Set([...modules].flatMap(findPackage))].sort();
  writeFileSync(join(folder, 'dist/bundled.json'), `${JSON.stringify(packages, null, 1)}\n`);
  /** Packages that have the same text, by the text. */
  const notices = new Map();
  for (const path of packages) {
    const { name, version, license = 'see below', author } = readPackage(folder, path);
    const by = typeof author === 'object' ? author.name : author;
    const text = readLicence(join(folder, path));
    const title = `${name} ${version} (${license})${text === '' && by ? `, ${by}` : ''}`;
    notices.set(text, [...(notices.get(text) ?? []), title]);
  }
  const parts = [...notices].map(([text, titles]) => `${titles.join('\n')}\n\n${text}`.trim());
  const head = 'docbuild contains these packages, by others, in whole or in part.';
  writeFileSync(join(folder, 'dist/NOTICES.txt'), `${[head, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

/** Returns the path of the package that a file belongs to, such as `node_modules/a/node_modules/@b/c`; none for our own files. */
function findPackage(path) {
  const found = /(?<=^|[/\\])node_modules[/\\](?:.*[/\\]node_modules[/\\])?(?:@[^/\\]+[/\\])?[^/\\]+/.exec(path)?.[0];
  return found === undefined ? [] : [found.replaceAll('\\', '/')];
}

function readPackage(folder, path) {
  return JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
}

function readLicence(folder) {
  const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)(?!.*\.[jt]s$)/i.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

/** An import in a declaration, none in an example of a comment. */
const IMPORT = /(?<!^\s*\*.*)(\bfrom\s*|\bimport\()(['"])([^'"]+)\2/gm;

/**
 * Copies the declarations of what the package exports to `dist/types/`: `entry`, and what it imports, of packages as well, so that they
 * are complete without them. Returns the paths of those of packages.
 */
export function collectTypes(folder, entry) {
  const target = join(folder, 'dist/types');
  /** Where files are copied to, by where they are. */
  const places = new Map();
  const place = (file) => {
    if (places.has(file)) return places.get(file);
    const [path] = findPackage(file);
    const to =
      path === undefined
        ? join(target, relative(join(folder, 'dist'), file))
        : join(
            target,
            'packages',
            path.replace(/^.*node_modules\//, ''),
            file.slice(join(folder, path).length),
          ).replace(/\.d\.[cm]ts$/, '.d.ts');
    places.set(file, to);
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const rewritten = text.replace(IMPORT, (whole, before, quote, name) => {
      const found = name.startsWith('.') ? findDeclaration(join(dirname(file), name)) : findTypes(folder, name);
      if (found === undefined) return whole;
      const way = relative(dirname(to), place(found))
        .replaceAll('\\', '/')
        .replace(/\.d\.ts$/, '.js');
      return `${before}${quote}${way.startsWith('.') ? way : `./${way}`}${quote}`;
    });
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, rewritten);
    return to;
  };
  place(join(folder, entry));
  return [...places.keys()].filter((file) => findPackage(file).length > 0);
}

function findDeclaration(path) {
  if (/\.d\.[cm]?ts$/.test(path)) return path;
  return /\.[cm]?[jt]s$/.test(path) ? path.replace(/\.([cm]?)[jt]s$/, '.d.$1ts') : `${path}.d.ts`;
}

/** Returns the declarations of a package's main module; undefined for modules of Node.js, whose types programs have. */
function findTypes(folder, name) {
  if (name.startsWith('node:')) return undefined;
  const path = join('node_modules', name);
  if (!existsSync(join(folder, path, 'package.json'))) throw new Error(`Types of "${name}" are not found`);
  const { exports, types } = readPackage(folder, path);
  const main = exports?.['.'] ?? exports;
  const file = main?.import?.types ?? main?.types ?? types;
  if (file === undefined) throw new Error(`"${name}" has no types`);
  return join(folder, path, file);
}
