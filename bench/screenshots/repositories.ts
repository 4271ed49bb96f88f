import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';

/** Languages in which pictures are taken. */
export type PictureLanguage = 'en' | 'zh_CN';

/** Makes a repository of the documentation with tags, and with further languages. */
export function createRepository(work: string, root: string, language: PictureLanguage): string {
  const { write, tag } = openRepository(work);
  const project = parse(readFileSync(join(root, '.docbuild.yml'), 'utf8')) as object;
  write('.docbuild.yml', stringify({ ...project, lang: [language, 'de', 'fr'] }));
  cpSync(join(root, 'docs', language), join(work, 'docs', language), { recursive: true });
  cpSync(join(root, 'docs/images'), join(work, 'docs/images'), { recursive: true });
  write('docs/de/index.md', '# docbuild\n');
  write('docs/fr/index.md', '# docbuild\n');
  for (const version of ['v1.0', 'v1.1', 'v1.2', 'v2.0']) tag(version);
  return work;
}

/** Makes a repository in which pages change, move, come and go, and whose translation falls behind. */
export function createWeaver(work: string, language: PictureLanguage): string {
  const { write, remove, tag } = openRepository(work);
  const words = WEAVER[language];
  const put = (path: string, text: string): void => write(`docs/${language}/${path}`, text);
  const patterns = (tension: string, sizes: readonly (readonly [string, number])[], command: string): string =>
    `---\nnavButton: true\n---\n\n${words.patterns} ${tension}\n\n${words.sizes}\n${sizes.map(([name, threads]) => `| ${name} | ${threads} |\n`).join('')}\n${words.weaveOne}\n\n\`\`\`sh\n${command}\n\`\`\`\n`;
  const [small, medium, large] = words.sizeNames;
  write('.docbuild.yml', `title: Weaver\nlang: [${language}, de]\n`);
  put('index.md', words.home);
  put('guide/setup.md', `# ${words.setup}\n\n${words.setupText}`);
  put('looms.md', `${words.looms}\n`);
  const before = 'weaver weave twill.pattern\nweaver check twill.pattern';
  put(
    'patterns.md',
    patterns(
      words.low,
      [
        [small, 120],
        [large, 480],
      ],
      before,
    ),
  );
  write('docs/de/index.md', '# Weaver\n\nWebt Stoff aus Text.\n');
  write('docs/de/patterns.md', '# Muster\n\nEin Muster sagt, welche Fäden über welchen liegen.\n');
  tag('v1.0');
  put('looms.md', `${words.looms}${words.motor}\n`);
  write('docs/de/looms.md', '# Webstühle\n\nJeder Webstuhl mit vier Schäften eignet sich.\n');
  tag('v1.1');
  remove(`docs/${language}/guide/setup.md`);
  put('start/install.md', `# ${words.install}\n\n${words.setupText}`);
  put('colours.md', words.colours);
  const after = 'weaver weave --size large twill.pattern\nweaver check twill.pattern';
  put(
    'patterns.md',
    patterns(
      words.even,
      [
        [small, 120],
        [medium, 240],
        [large, 520],
      ],
      after,
    ),
  );
  tag('v2.0');
  return work;
}

const WEAVER = {
  en: {
    home: '# Weaver\n\nWeaves cloth from text.\n',
    setup: 'Set up',
    install: 'Install',
    setupText:
      'Weaver needs a loom and thread. Put the loom on a level floor, and keep it away from cats.\n\n## On Linux\n\nInstall the package of your distribution, then connect the loom.\n',
    looms: '# Looms\n\nAny loom with four shafts will do. Others are driven by hand.',
    motor: ' Some have a motor.',
    patterns: '# Patterns\n\nA pattern says which threads go over which.',
    low: 'Keep the tension low, or threads tear.',
    even: 'Keep the tension even, or the edges pull in.',
    sizes: '## Sizes\n\n| Size | Threads |\n| --- | ---: |',
    sizeNames: ['small', 'medium', 'large'],
    weaveOne: '## Weave one',
    colours: '# Colours\n\nThreads may have any colour that a page may have.\n',
  },
  zh_CN: {
    home: '# Weaver\n\n用文字织布。\n',
    setup: '安装设置',
    install: '安装',
    setupText:
      'Weaver 需要一台织机和一些线。请把织机放在平整的地面上，并远离猫。\n\n## 在 Linux 上\n\n安装发行版提供的软件包，然后连接织机。\n',
    looms: '# 织机\n\n任何四综织机都可以，其他织机需要手动操作。',
    motor: '有些织机带有电机。',
    patterns: '# 花样\n\n花样说明哪些线从哪些线上面经过。',
    low: '请保持较低的张力，否则线会断。',
    even: '请保持均匀的张力，否则布边会收缩。',
    sizes: '## 尺寸\n\n| 尺寸 | 线数 |\n| --- | ---: |',
    sizeNames: ['小', '中', '大'],
    weaveOne: '## 织一块',
    colours: '# 颜色\n\n线可以使用页面能显示的任何颜色。\n',
  },
} as const satisfies Readonly<Record<PictureLanguage, object>>;

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
