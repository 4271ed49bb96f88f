import icons from '#social-icons';

/** Places where a project may be found, by the keys of `theme.social`; build.js takes their icons from Simple Icons by the names given here. */
export const NETWORKS = {
  github: { title: 'GitHub', icon: 'github' },
  gitlab: { title: 'GitLab', icon: 'gitlab' },
  gitee: { title: 'Gitee', icon: 'gitee' },
  gitea: { title: 'Gitea', icon: 'gitea' },
  forgejo: { title: 'Forgejo', icon: 'forgejo' },
  codeberg: { title: 'Codeberg', icon: 'codeberg' },
  bitbucket: { title: 'Bitbucket', icon: 'bitbucket' },
  mastodon: { title: 'Mastodon', icon: 'mastodon' },
  bluesky: { title: 'Bluesky', icon: 'bluesky' },
  x: { title: 'X', icon: 'x' },
  threads: { title: 'Threads', icon: 'threads' },
  discord: { title: 'Discord', icon: 'discord' },
  matrix: { title: 'Matrix', icon: 'matrix' },
  telegram: { title: 'Telegram', icon: 'telegram' },
  zulip: { title: 'Zulip', icon: 'zulip' },
  reddit: { title: 'Reddit', icon: 'reddit' },
  stackoverflow: { title: 'Stack Overflow', icon: 'stackoverflow' },
  youtube: { title: 'YouTube', icon: 'youtube' },
  bilibili: { title: '哔哩哔哩', icon: 'bilibili' },
  zhihu: { title: '知乎', icon: 'zhihu' },
  weibo: { title: '微博', icon: 'sinaweibo' },
  wechat: { title: '微信', icon: 'wechat' },
  juejin: { title: '掘金', icon: 'juejin' },
  npm: { title: 'npm', icon: 'npm' },
  rss: { title: 'RSS', icon: 'rss' },
  mail: { title: 'E-mail', icon: undefined },
} as const;
export type Network = keyof typeof NETWORKS;

/** An envelope. */
const MAIL =
  'M3 4.500h18A1.500 1.500 0 0 1 22.500 6v12a1.500 1.500 0 0 1-1.500 1.500H3A1.500 1.500 0 0 1 1.500 18V6A1.500 1.500 0 0 1 3 4.500zM4.700 6.500 12 12.100l7.300-5.600zM3.500 8.100V17.500h17V8.100L12 14.600z';

export interface SocialLink {
  readonly title: string;
  readonly url: string;
  /** The path of a drawing in an SVG of 24 by 24 units. */
  readonly icon: string;
}

/** Returns the links in the order of `NETWORKS`. */
export function listSocial(links: { readonly [Name in Network]?: string | undefined }): readonly SocialLink[] {
  return Object.entries(links).flatMap(([name, url]) => {
    const { title } = NETWORKS[name as Network];
    const icon = name === 'mail' ? MAIL : icons[name];
    if (url === undefined || icon === undefined) return [];
    return [{ title, url: name === 'mail' && !/^mailto:/i.test(url) ? `mailto:${url}` : url, icon }];
  });
}
