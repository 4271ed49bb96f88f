import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Makes a repository of the documentation with tags, and with languages whose scripts every machine has fonts for. */
export function createRepository(work: string, root: string): string {
  const { write, tag } = openRepository(work);
  write('.docbuild.yml', 'title: docbuild\n');
  cpSync(join(root, 'docs/en'), join(work, 'docs/en'), { recursive: true });
  cpSync(join(root, 'docs/images'), join(work, 'docs/images'), { recursive: true });
  write('docs/de/index.md', '# docbuild\n');
  write('docs/fr/index.md', '# docbuild\n');
  for (const version of ['v1.0', 'v1.1', 'v1.2', 'v2.0']) tag(version);
  return work;
}

/** Makes a repository in which pages change, move, come and go, and whose translation falls behind. */
export function createWeaver(work: string): string {
  const { write, remove, tag } = openRepository(work);
  const patterns = (tension: string, sizes: string, command: string): string =>
    `---\nnavButton: true\n---\n\n# Patterns\n\nA pattern says which threads go over which. ${tension}\n\n## Sizes\n\n| Size | Threads |\n| --- | ---: |\n${sizes}\n\n## Weave one\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  const setup =
    'Weaver needs a loom and thread. Put the loom on a level floor, and keep it away from cats.\n\n## On Linux\n\nInstall the package of your distribution, then connect the loom.\n';
  write('.docbuild.yml', 'title: Weaver\nlang: [en, de]\n');
  write('docs/en/index.md', '# Weaver\n\nWeaves cloth from text.\n');
  write('docs/en/guide/setup.md', `# Set up\n\n${setup}`);
  write('docs/en/looms.md', '# Looms\n\nAny loom with four shafts will do. Others are driven by hand.\n');
  write(
    'docs/en/patterns.md',
    patterns(
      'Keep the tension low, or threads tear.',
      '| small | 120 |\n| large | 480 |',
      'weaver weave twill.pattern\nweaver check twill.pattern',
    ),
  );
  write('docs/de/index.md', '# Weaver\n\nWebt Stoff aus Text.\n');
  write('docs/de/patterns.md', '# Muster\n\nEin Muster sagt, welche Fäden über welchen liegen.\n');
  tag('v1.0');
  write(
    'docs/en/looms.md',
    '# Looms\n\nAny loom with four shafts will do. Others are driven by hand, or by a motor.\n',
  );
  write('docs/de/looms.md', '# Webstühle\n\nJeder Webstuhl mit vier Schäften eignet sich.\n');
  tag('v1.1');
  remove('docs/en/guide/setup.md');
  write('docs/en/start/install.md', `# Install\n\n${setup}`);
  write('docs/en/colours.md', '# Colours\n\nThreads may have any colour that a page may have.\n');
  write(
    'docs/en/patterns.md',
    patterns(
      'Keep the tension even, or the edges pull in.',
      '| small | 120 |\n| medium | 240 |\n| large | 520 |',
      'weaver weave --size large twill.pattern\nweaver check twill.pattern',
    ),
  );
  tag('v2.0');
  return work;
}

function openRepository(work: string) {
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=docbuild', '-c', 'user.email=docbuild@example.org', ...args], { cwd: work });
  mkdirSync(work, { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  return {
    write(path: string, text: string): void {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    },
    remove: (path: string): void => rmSync(join(work, path)),
    tag(version: string): void {
      git('add', '--all', '.');
      git('commit', '--quiet', '--allow-empty', '-m', version);
      git('tag', version);
    },
  };
}
