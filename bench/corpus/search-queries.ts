/** A query with the page that readers mean by it. */
export interface SearchQuery {
  readonly language: string;
  readonly query: string;
  /** Path without `.html`; several where each would do. */
  readonly pages: readonly string[];
}

/**
 * Queries over the corpus' newest version, written before the ranking was tuned: words, several words, beginnings, typing
 * errors, identifiers in their spellings, Chinese without spaces and mixed with Latin, Russian and Persian with their variants.
 */
const TEXT = `
en | sitemap | guide/sitemap-generation
en | deploy github pages | guide/deploy
en | netlify | guide/deploy
en | http cache headers | guide/deploy
en | base url | guide/asset-handling, reference/site-config, guide/deploy
en | public directory | guide/asset-handling
en | dynamic routes | guide/routing
en | clean urls | guide/routing, reference/site-config
en | custom theme | guide/custom-theme
en | override internal components | guide/extending-default-theme
en | layout slots | guide/extending-default-theme
en | code groups | guide/markdown
en | line highlighting | guide/markdown
en | import code snippets | guide/markdown
en | math equations | guide/markdown
en | team members | reference/default-theme-team-page
en | last updated timestamp | reference/default-theme-last-updated
en | edit this page link | reference/default-theme-edit-link
en | social links | reference/default-theme-nav, reference/default-theme-config
en | collapsible sidebar | reference/default-theme-sidebar
en | algolia crawler | reference/default-theme-search
en | rtl support | guide/i18n
en | browser api on import | guide/ssr-compat
en | headless cms | guide/cms
en | hero tagline | reference/default-theme-home-page
en | what is vitepress | guide/what-is-vitepress
en | installation prerequisites | guide/getting-started
en | vuepress migration | guide/migration-from-vuepress
en | command line | reference/cli
en | createContentLoader | guide/data-loading
en | createcontentloader | guide/data-loading
en | content loader | guide/data-loading
en | defineClientComponent | guide/ssr-compat
en | ClientOnly | guide/ssr-compat, reference/runtime-api
en | useData | reference/runtime-api
en | withBase | guide/asset-handling, reference/runtime-api
en | transformPageData | reference/site-config
en | transformItems | guide/sitemap-generation
en | ignoreDeadLinks | reference/site-config
en | ignore dead links | reference/site-config
en | VPTeamMembers | reference/default-theme-team-page
en | vp-doc | reference/default-theme-layout, guide/extending-default-theme, guide/custom-theme, guide/markdown, guide/using-vue, reference/default-theme-home-page
en | --base | reference/cli
en | config.mts | guide/getting-started, reference/site-config
en | import.meta.env | guide/ssr-compat, guide/routing, guide/cms, guide/data-loading, guide/extending-default-theme
en | srcExclude | reference/site-config
en | lang="scss" | guide/using-vue
en | frontm | guide/frontmatter, reference/frontmatter-config
en | sideb | reference/default-theme-sidebar
en | depl | guide/deploy
en | sidbar | reference/default-theme-sidebar
en | fronmatter | guide/frontmatter, reference/frontmatter-config
en | markdwon extensions | guide/markdown
en | deploiment netlify | guide/deploy
en | interationalization | guide/i18n
zh | 部署 | guide/deploy
zh | 自定义主题 | guide/custom-theme
zh | 侧边栏 | reference/default-theme-sidebar
zh | 国际化 | guide/i18n
zh | 动态路由 | guide/routing
zh | 静态资源 | guide/asset-handling
zh | 搜索 | reference/default-theme-search
zh | 页脚 | reference/default-theme-footer
zh | 徽标 | reference/default-theme-badge
zh | 命令行 | reference/cli
zh | 团队成员 | reference/default-theme-team-page
zh | 构建时数据加载 | guide/data-loading
zh | 从VuePress迁移 | guide/migration-from-vuepress
zh | 扩展默认主题 | guide/extending-default-theme
zh | 在Markdown使用Vue | guide/using-vue
zh | 行高亮 | guide/markdown
zh | 代码组 | guide/markdown
zh | 浏览器API | guide/ssr-compat
zh | HTTP缓存标头 | guide/deploy
zh | createContentLoader选项 | guide/data-loading
zh | 社交链接 | reference/default-theme-nav, reference/default-theme-config
zh | sitemap 生成 | guide/sitemap-generation
ru | развёртывание | guide/deploy
ru | развертывание сайта | guide/deploy
ru | сайдбар | reference/default-theme-sidebar
ru | поиск | reference/default-theme-search
ru | карта сайта | guide/sitemap-generation
ru | пользовательская тема | guide/custom-theme
ru | динамические маршруты | guide/routing
ru | маршрутизацыя | guide/routing
ru | страница команды | reference/default-theme-team-page
ru | социальные ссылки | reference/default-theme-nav, reference/default-theme-config
ru | useSidebar | reference/default-theme-sidebar
ru | интернац | guide/i18n
fa | مسیریابی | guide/routing
fa | نوار کناری | reference/default-theme-sidebar
fa | جستجو | reference/default-theme-search
fa | تم سفارشی | guide/custom-theme
fa | افزونه‌های Markdown | guide/markdown
fa | افزونه های Markdown | guide/markdown
fa | پاورقی | reference/default-theme-footer
fa | صفحه تیم | reference/default-theme-team-page
fa | مديريت منابع | guide/asset-handling
fa | createContentLoader | guide/data-loading
`;

export const SEARCH_QUERIES: readonly SearchQuery[] = TEXT.trim()
  .split('\n')
  .map((line) => {
    const [language, query, pages] = line.split(' | ').map((part) => part.trim());
    return { language: language!, query: query!, pages: pages!.split(', ') };
  });
