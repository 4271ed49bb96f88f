/** A query with the page that readers mean by it. */
export interface SearchQuery {
  readonly language: string;
  readonly query: string;
  /** Path without `.html`; several where each would do. */
  readonly pages: readonly string[];
}

/**
 * Queries over the corpus' newest version, written before the ranking was tuned, those from `--port` on before exact words hid others: words,
 * several words, beginnings, typing errors, identifiers and options in their spellings, Chinese without spaces and mixed with Latin, Russian
 * and Persian with their variants; each word of these is one that the documentation has, in some form. The last 240 were held out: 60 and 60
 * before words that stand together and words that say little counted, of each of which 58 found their page when they were first tried, and
 * 120, drawn like those below, before pages with one of two words were found, of which 113 did.
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
en | --port | reference/cli
en | --outDir | reference/cli
en | --open | reference/cli
en | --force | reference/cli
en | --mpa | reference/cli, guide/mpa-mode
en | github actions workflow | guide/deploy
en | cloudflare pages | guide/deploy
en | vercel | guide/deploy
en | gitlab ci | guide/deploy
en | nginx | guide/deploy
en | firebase hosting | guide/deploy
en | focus lines in code | guide/markdown
en | colored diffs | guide/markdown
en | line numbers | guide/markdown
en | github flavored alerts | guide/markdown
en | emoji | guide/markdown
en | table of contents | guide/markdown
en | header anchors | guide/markdown
en | custom containers | guide/markdown
en | lazy loading images | guide/markdown, reference/site-config
en | markdown file inclusion | guide/markdown
en | mpa mode | guide/mpa-mode
en | dark mode toggle | reference/site-config, reference/default-theme-config, guide/extending-default-theme
en | appearance | reference/site-config
en | rewrites | guide/routing, reference/site-config
en | buildEnd hook | reference/site-config
en | transformHead | reference/site-config
en | cleanUrls | guide/routing, reference/site-config
en | metaChunk | reference/site-config
en | prev next links | reference/default-theme-prev-next-links
en | carbon ads | reference/default-theme-carbon-ads
en | badge | reference/default-theme-badge
en | outline levels | reference/default-theme-config, reference/frontmatter-config
en | aside | reference/default-theme-config, reference/frontmatter-config, reference/default-theme-layout
en | page layout home | reference/default-theme-layout, reference/default-theme-home-page
en | view transitions | guide/extending-default-theme
en | different fonts | guide/extending-default-theme
en | useRoute | reference/runtime-api
en | useRouter | reference/runtime-api
en | Content component | reference/runtime-api
en | createContentLoader excerpt | guide/data-loading
en | defineLoader | guide/data-loading
en | paths loader file | guide/routing
en | locales config | guide/i18n
en | local search miniSearch options | reference/default-theme-search
en | algolia docsearch | reference/default-theme-search
en | logo in nav | reference/default-theme-config, reference/default-theme-nav
en | dropdown menu | reference/default-theme-nav
en | hide the footer | reference/default-theme-footer, reference/frontmatter-config
en | edit link pattern | reference/default-theme-edit-link
en | teleports | guide/using-vue, guide/ssr-compat
en | css preprocessors | guide/using-vue
en | favicon | reference/site-config
en | google analytics | reference/site-config
en | enhanceApp | guide/custom-theme, guide/extending-default-theme
en | distribute a theme | guide/custom-theme
en | node version | guide/getting-started
en | setup wizard | guide/getting-started
en | scafold | guide/getting-started
en | netlfy | guide/deploy
zh | 行号 | guide/markdown
zh | 自定义容器 | guide/markdown
zh | 代码片段导入 | guide/markdown
zh | 目录表 | guide/markdown
zh | GitHub Pages | guide/deploy
zh | 深色模式 | reference/site-config, reference/default-theme-config, guide/extending-default-theme
zh | 上下页链接 | reference/default-theme-prev-next-links
zh | 编辑链接 | reference/default-theme-edit-link
zh | 最后更新时间 | reference/default-theme-last-updated
zh | 字体 | guide/extending-default-theme
zh | 重写路由 | guide/routing
zh | 简洁URL | guide/routing
zh | 页面布局 | reference/default-theme-layout
zh | 导航栏下拉菜单 | reference/default-theme-nav
zh | 快速开始 | guide/getting-started
zh | frontmatter | guide/frontmatter, reference/frontmatter-config
zh | --port | reference/cli
ru | номера строк | guide/markdown
ru | значок | reference/default-theme-badge
ru | ссылка на редактирование | reference/default-theme-edit-link
ru | загрузка данных | guide/data-loading
ru | командная строка | reference/cli
ru | --outDir | reference/cli
fa | شماره خطوط | guide/markdown
fa | استقرار | guide/deploy
fa | فونت | guide/extending-default-theme
ko | 배포 | guide/deploy
ko | 사이드바 | reference/default-theme-sidebar
ko | 다크 모드 | reference/site-config, reference/default-theme-config, guide/extending-default-theme
ko | 줄 번호 | guide/markdown
es | barra lateral | reference/default-theme-sidebar
es | despliegue | guide/deploy
es | pie de página | reference/default-theme-footer
pt | barra lateral | reference/default-theme-sidebar
pt | implantação | guide/deploy
pt | rodapé | reference/default-theme-footer
en | referencing static assets | guide/asset-handling
en | connecting to a cms | guide/cms
en | theme interface | guide/custom-theme
en | consuming a custom theme | guide/custom-theme
en | typed data loaders | guide/data-loading
en | csv files at build time | guide/data-loading
en | aws amplify | guide/deploy
en | heroku | guide/deploy
en | build and test locally | guide/deploy
en | public base path | guide/deploy
en | registering global components | guide/extending-default-theme, guide/using-vue
en | toml frontmatter | guide/frontmatter
en | accessing frontmatter data | guide/frontmatter
en | stackblitz | guide/getting-started
en | missing peer deps warnings | guide/getting-started
en | separate directory for each locale | guide/i18n
en | errors and warnings in code blocks | guide/markdown
en | page suffix | guide/markdown
en | script client | guide/mpa-mode
en | project root | guide/routing
en | linking to non-vitepress pages | guide/routing
en | rendering raw content | guide/routing
en | importing in mounted hook | guide/ssr-compat
en | escaping interpolation | guide/using-vue
en | vs code intellisense | guide/using-vue
en | blogs portfolios marketing sites | guide/what-is-vitepress
en | fast post-load navigation | guide/what-is-vitepress
en | customize badge color | reference/default-theme-badge
en | skipToContentLabel | reference/default-theme-config
en | features section | reference/default-theme-home-page
en | link active state | reference/default-theme-nav
en | excluding pages from search | reference/default-theme-search
en | multiple sidebars | reference/default-theme-sidebar
en | canonical url | reference/site-config
en | google fonts | reference/site-config
zh | 连接到CMS | guide/cms
zh | 分发自定义主题 | guide/custom-theme
zh | 基于本地文件生成数据 | guide/data-loading
zh | 本地构建与测试 | guide/deploy
zh | Azure 静态 web 应用 | guide/deploy
zh | 布局插槽 | guide/extending-default-theme
zh | 视图过渡 | guide/extending-default-theme
zh | 安装向导 | guide/getting-started
zh | 前置准备 | guide/getting-started
zh | 图片懒加载 | guide/markdown
zh | 数学方程 | guide/markdown
zh | 标题锚点 | guide/markdown
zh | 语法高亮 | guide/markdown
zh | 项目根目录 | guide/routing
zh | 访问页面中的参数 | guide/routing
zh | 条件导入 | guide/ssr-compat
zh | CSS预处理器 | guide/using-vue
zh | 静态站点生成器 | guide/what-is-vitepress
zh | 从搜索中排除页面 | reference/default-theme-search
zh | 爬虫配置 | reference/default-theme-search
zh | 多侧边栏 | reference/default-theme-sidebar
zh | 可折叠的侧边栏 | reference/default-theme-sidebar
zh | 站点标题和图标 | reference/default-theme-nav
zh | 构建钩子 | reference/site-config
zh | 谷歌分析 | reference/site-config
en | extra tags in head | reference/site-config, reference/frontmatter-config
en | yaml frontmatter | guide/frontmatter, guide/markdown, reference/frontmatter-config
en | locales root label | guide/i18n
en | theme as npm package | guide/custom-theme
en | meta keywords description | reference/frontmatter-config, reference/site-config
en | override site-level options for one page | reference/frontmatter-config, guide/frontmatter
en | sidebar menu | reference/default-theme-sidebar
en | stormkit | guide/deploy
en | single page application | guide/what-is-vitepress
en | render markdown before indexing search | reference/default-theme-search
en | right to left postcss | guide/i18n
en | plugin-vue options | reference/site-config
en | server-side rendering | guide/ssr-compat
en | suffix of page titles | reference/site-config, guide/markdown, reference/frontmatter-config
en | edit page on gitlab | reference/default-theme-edit-link, reference/default-theme-config
en | deploy.yml | guide/deploy
en | highlight ranges of lines | guide/markdown
en | components in headers | guide/using-vue
en | outline deep | reference/frontmatter-config, reference/default-theme-config
en | $params | reference/runtime-api, guide/routing
zh | 与VuePress的区别 | guide/what-is-vitepress
zh | 自定义渲染内容 | reference/default-theme-search
zh | sitemap lastmod | guide/sitemap-generation
zh | vitepress init | guide/getting-started
zh | Git 时间戳 | reference/site-config, reference/default-theme-last-updated
zh | 部署工作流 | guide/deploy
zh | 创建团队页面 | reference/default-theme-team-page
zh | vitepress dev docs | guide/routing, reference/cli
zh | 搜索 添加锚点 | reference/default-theme-search
ru | IntelliSense | guide/using-vue
ru | генерация sitemap.xml | guide/sitemap-generation
ru | секция features | reference/default-theme-home-page, reference/frontmatter-config
ru | файл загрузчика данных | guide/data-loading
ru | контейнер raw | guide/markdown
ru | параметры страницы маршрута | guide/routing
ru | рендерер содержимого | reference/default-theme-search
ru | исключить страницу из поиска | reference/default-theme-search
ru | статус к заголовкам | reference/default-theme-badge
es | desactivar última actualización | reference/default-theme-last-updated
es | componentes en headers | guide/using-vue
es | casos de uso | guide/what-is-vitepress
es | i18nRouting | reference/default-theme-config, guide/i18n
es | opciones de markdown-it | reference/site-config, guide/markdown
es | VPTeamPage | reference/default-theme-team-page
pt | diretório das páginas markdown | reference/site-config, guide/routing
pt | pageClass | reference/frontmatter-config
pt | tags head adicionais | reference/frontmatter-config, reference/site-config
pt | destaque de sintaxe | guide/markdown
pt | página de arquivo do blog | guide/data-loading
pt | anexar base a url | reference/runtime-api, guide/asset-handling
ko | 로케일별 디렉토리 | guide/i18n
ko | YAML 전문 | guide/markdown, guide/frontmatter, reference/frontmatter-config
ko | firebase | guide/deploy
ko | 제목 접미사 | reference/site-config, guide/markdown, reference/frontmatter-config
ko | 서브 경로 배포 | guide/deploy
ko | github actions | guide/deploy
fa | بین‌المللی‌سازی | guide/i18n
fa | جستجوی محلی | reference/default-theme-search
fa | برجسته‌سازی خطوط | guide/markdown
fa | سیستم مدیریت محتوا | guide/cms
en | generate sidebar automatically | guide/migration-from-vuepress
en | carbonAds placement | reference/default-theme-config, reference/default-theme-carbon-ads
en | nav menu items | reference/default-theme-nav, reference/default-theme-config
en | deploy under sub path | reference/site-config, guide/deploy, guide/asset-handling
en | prepend base to path | reference/runtime-api, guide/asset-handling
en | vitePressExtensions | guide/using-vue
en | feature icons | reference/default-theme-home-page
en | hide next page link | reference/default-theme-prev-next-links, reference/default-theme-config
en | async config | reference/site-config
en | animate dark mode switch | guide/extending-default-theme
en | VPTeamPageTitle | reference/default-theme-team-page
en | sidebar groups closed initially | reference/default-theme-sidebar, reference/default-theme-config
en | directory url mapping | reference/site-config, guide/routing
en | install with pnpm | guide/getting-started
en | html tags in headings | guide/using-vue
en | hide site title | reference/default-theme-nav, reference/default-theme-config
en | customize previous next text | reference/default-theme-prev-next-links, reference/default-theme-config
en | change brand color | guide/extending-default-theme
en | override outline for page | reference/frontmatter-config, reference/default-theme-config
en | composition api helpers | reference/runtime-api
en | scaffold in existing project | guide/getting-started
en | .vitepress directory | guide/routing, guide/getting-started
en | sites built with vitepress | guide/what-is-vitepress
en | homepage template | reference/default-theme-layout, reference/default-theme-home-page, reference/frontmatter-config
en | upgrade from 0.x | guide/migration-from-vitepress-0
en | render markdown in layout | reference/runtime-api, guide/custom-theme
en | lightModeSwitchTitle | reference/default-theme-config
en | highlight current nav item | reference/default-theme-nav
en | vue components in markdown | guide/using-vue
en | static site generators | guide/what-is-vitepress
en | .data.ts | guide/data-loading
en | github pages repo base | guide/deploy, reference/site-config
en | page description | reference/frontmatter-config, reference/site-config
en | set page title | reference/frontmatter-config, reference/site-config, guide/frontmatter
en | importing a component | guide/using-vue
en | hide edit link | reference/default-theme-edit-link, reference/frontmatter-config
en | hook after rendering | reference/site-config
en | publish to github pages | guide/deploy
en | lazyLoading | guide/markdown
en | relative links between pages | guide/markdown, guide/routing
zh | markdown.toc | guide/markdown
zh | 自定义日期格式 | reference/default-theme-config
zh | hero操作按钮 | reference/default-theme-home-page
zh | 导航栏社交图标 | reference/default-theme-config, reference/default-theme-nav
zh | 自动注册组件 | guide/extending-default-theme
zh | 首页features | reference/frontmatter-config, reference/default-theme-home-page
zh | 安装sass | guide/using-vue
zh | 指定标题锚点 | guide/markdown
zh | 启动安装向导 | reference/cli, guide/getting-started
zh | 去掉html后缀 | guide/routing, reference/site-config
zh | 隐藏最后更新 | reference/frontmatter-config, reference/default-theme-last-updated
zh | 禁用aside | reference/default-theme-config, reference/frontmatter-config
zh | monorepo 文档映射 | guide/routing
zh | 启动开发服务器 | reference/cli, guide/getting-started
zh | 修改pageData | reference/site-config
zh | gzip压缩 | guide/deploy
zh | GitHub警报 | guide/markdown
zh | SSG渲染完成 | reference/site-config
zh | 构建生产站点 | reference/cli, guide/deploy, guide/getting-started
zh | aside显示在左侧 | reference/frontmatter-config, reference/default-theme-config
zh | VuePress 2 | guide/what-is-vitepress
zh | 基于文件的路由 | guide/getting-started, guide/routing
zh | onMounted动态导入 | guide/ssr-compat
zh | hasSidebar | reference/default-theme-sidebar
zh | md文件中使用组件 | guide/using-vue
es | mensaje de copyright | reference/default-theme-footer, reference/default-theme-config
es | botón volver arriba | reference/default-theme-config
es | título de la página | reference/frontmatter-config, reference/site-config
es | links externos target | guide/markdown
es | nombre con degradado | reference/default-theme-home-page
es | vista previa local | guide/deploy, reference/cli, guide/getting-started
es | método load | guide/data-loading
es | opciones de vite | reference/site-config
es | agrupar bloques de código | guide/markdown
es | generador sitio estático | guide/what-is-vitepress
es | defineConfigWithTheme | reference/site-config, guide/custom-theme
fa | بررسی نوع تنظیمات تم | reference/site-config, guide/custom-theme
fa | مکان aside | reference/frontmatter-config, reference/default-theme-config
fa | مسیریابی مبتنی بر فایل | guide/getting-started, guide/routing
fa | مسیر فعلی | reference/runtime-api
fa | صفحه بدون استایل | reference/default-theme-layout, reference/frontmatter-config
fa | transformHtml | reference/site-config
fa | فرمت تاریخ به‌روزرسانی | reference/default-theme-config
fa | پوشه کش | reference/site-config
fa | vitepress init | reference/cli, guide/getting-started
fa | عنوان سایت نوار ناوبری | reference/site-config, reference/default-theme-nav, reference/default-theme-config
fa | ذخیره توکن API | guide/cms
ko | 커스텀레이아웃 | reference/default-theme-layout, guide/custom-theme
ko | 네비게이션 바 컴포넌트 | reference/default-theme-nav
ko | 빠른 서버 시작 | guide/what-is-vitepress
ko | html lang 태그 | reference/site-config, guide/i18n
ko | 홈 기능 섹션 | reference/frontmatter-config, reference/default-theme-home-page
ko | 테마 설정 옵션 | reference/default-theme-config
ko | 외부 테마 확장 | guide/custom-theme
ko | 이미지 상대 경로 | guide/asset-handling
ko | 페이지별 데이터 | reference/runtime-api
ko | 블로그 게시물 목록 | guide/data-loading
ko | 메타태그 추가 | reference/frontmatter-config, reference/site-config
pt | páginas sem javascript | guide/mpa-mode
pt | gancho transformar cabeçalho | reference/site-config
pt | sites centrados em conteúdo | guide/what-is-vitepress
pt | excluir arquivos markdown | reference/site-config
pt | conteúdo de teleports | reference/site-config, guide/using-vue
pt | publicar no github | guide/deploy
pt | variável $frontmatter | guide/frontmatter, reference/frontmatter-config, reference/runtime-api
pt | urls relativas de imagens | guide/asset-handling
pt | iniciar servidor de desenvolvimento | reference/cli, guide/getting-started
pt | kinsta | guide/deploy
pt | ocultar aside | reference/default-theme-config, reference/frontmatter-config
ru | конфигурационные файлы | guide/getting-started, reference/site-config
ru | .gitlab-ci.yml | guide/deploy
ru | папка сборки | reference/site-config, reference/cli
ru | переопределить переменные css | guide/extending-default-theme
ru | маршрутизация по файлам | guide/routing, guide/getting-started
ru | npm run docs:dev | guide/getting-started
ru | выделить ошибки в коде | guide/markdown
ru | скрыть сайдбар | reference/frontmatter-config
ru | вставить оглавление | guide/markdown
ru | нечеткий поиск | reference/default-theme-search
ru | программный переход на страницу | reference/runtime-api
`;

/**
 * Queries a reader may have who looks for one of 120 sections of the same version, drawn at random, 60 written on 2026-11-28 and 60 on 2026-11-29,
 * before any of them was tried. The ranking was not changed for them: whoever tunes it has to write new ones, and moves these to the others.
 */
const HELD_OUT_TEXT = `
en | ads on the page | reference/default-theme-carbon-ads
en | layout false landing page | reference/default-theme-layout
en | onMounted import | guide/ssr-compat
en | start dev server | reference/cli, guide/getting-started
en | rtlcss plugin | guide/i18n
en | header levels in outline | reference/frontmatter-config, reference/default-theme-config
en | extract page metadata to separate chunk | reference/site-config
en | deploy to stormkit | guide/deploy
en | internal links | guide/markdown
en | difference between vuepress and vitepress | guide/what-is-vitepress, guide/migration-from-vuepress
en | postRender | reference/site-config
en | light mode switch title | reference/default-theme-config
en | markdownStyles false | reference/default-theme-home-page, reference/frontmatter-config
en | callouts | guide/markdown
en | $frontmatter.title | guide/frontmatter, reference/frontmatter-config, reference/runtime-api
en | site title in nav bar | reference/site-config, reference/default-theme-nav, reference/default-theme-config
en | disable last updated for a page | reference/default-theme-last-updated, reference/frontmatter-config
en | navigation links | reference/default-theme-nav
en | badge props | reference/default-theme-badge
en | deploy to non-root url | guide/asset-handling, guide/deploy, reference/site-config
en | isDark | reference/runtime-api, reference/default-theme-config, guide/extending-default-theme
en | custom title of container | guide/markdown
en | template repository on github | guide/custom-theme
en | frontmatter in vue expressions | reference/runtime-api, guide/frontmatter, reference/frontmatter-config
zh | 导航菜单项 | reference/default-theme-config, reference/default-theme-nav
zh | 配置文件 | guide/getting-started, reference/site-config
zh | markdown-it 解析器 | reference/site-config, guide/markdown
zh | 源目录 | guide/routing, reference/site-config
zh | 支持的emoji列表 | guide/markdown
zh | 侧边栏菜单 | reference/default-theme-sidebar, reference/default-theme-config
zh | 保存到磁盘之前转换页面 | reference/site-config
zh | teleport | guide/using-vue, guide/ssr-compat
zh | RTL支持 | guide/i18n
ru | цвет заголовка секции | reference/default-theme-home-page
ru | макет главной страницы | reference/default-theme-home-page, reference/default-theme-layout
ru | метаданные YAML | guide/frontmatter, guide/markdown, reference/frontmatter-config
ru | руководство по маршрутизации | guide/routing, guide/getting-started
ru | параметры компонента Badge | reference/default-theme-badge
ru | хук сборки | reference/site-config
ru | API браузера при импорте | guide/ssr-compat
ru | style module | guide/using-vue
es | importar en el hook mounted | guide/ssr-compat
es | acceso a los datos del frontmatter | guide/frontmatter
es | guía de enrutamiento | guide/routing, guide/getting-started
es | bloques de código v-pre | guide/using-vue
es | buildEnd | reference/site-config
pt | layout de página inicial | reference/default-theme-home-page, reference/default-theme-layout
pt | grupos retráteis | reference/default-theme-sidebar
pt | langMenuLabel | reference/default-theme-config
pt | testar localmente | guide/deploy
pt | heroku static.json | guide/deploy
ko | 언어 어트리뷰트 | reference/site-config
ko | 다크 모드 활성화 | reference/site-config
ko | 팀 구성원 섹션 | reference/default-theme-team-page
ko | 히어로 섹션 | reference/default-theme-home-page, reference/frontmatter-config
ko | 마크다운 파일 포함 | guide/markdown
ko | 마지막 업데이트 날짜 | reference/default-theme-last-updated, reference/frontmatter-config
fa | طرح صفحه خالی | reference/default-theme-layout
fa | جادوگر راه‌اندازی | guide/getting-started
fa | ساختار دایرکتوری زبان‌ها | guide/i18n
en | less preprocessor | guide/using-vue
en | prevent vue interpolation | guide/using-vue
en | algolia appId | reference/default-theme-search
en | routes with multiple parameters | guide/routing
en | edit link function | reference/default-theme-edit-link
en | [pkg].paths.js | guide/routing
en | dynamically import library | guide/ssr-compat
en | choose minifier | reference/cli
en | dev server hot reload | guide/getting-started, guide/what-is-vitepress
en | turn off footer | reference/frontmatter-config, reference/default-theme-footer
en | theme config types | reference/site-config, guide/custom-theme
en | include part of markdown | guide/markdown
en | production build command | reference/cli, guide/deploy
en | frontmatter global variable | guide/frontmatter, reference/frontmatter-config, reference/runtime-api
en | Edgio deployment | guide/deploy
en | teleport modal | guide/using-vue
en | markdown compiled to html | guide/getting-started, guide/routing, guide/using-vue
en | darkModeSwitchLabel | reference/default-theme-config
en | titleTemplate frontmatter | reference/frontmatter-config, reference/site-config
en | badges in headings | reference/default-theme-badge
zh | 首页布局 | reference/default-theme-layout, reference/default-theme-home-page, reference/frontmatter-config
zh | 深色模式开关标题 | reference/default-theme-config
zh | _render函数 | reference/default-theme-search
zh | 接入Algolia搜索 | reference/default-theme-search, reference/default-theme-config
zh | firebase部署 | guide/deploy
zh | 团队介绍 | reference/default-theme-team-page
zh | 添加markdown-it插件 | guide/markdown, reference/site-config
zh | 远程数据生成路由 | guide/routing
zh | 动态添加head标签 | reference/site-config
zh | buildEnd钩子 | reference/site-config
es | variables CSS del tema | guide/extending-default-theme
es | modificar instancia de Vue | guide/extending-default-theme, guide/custom-theme, guide/using-vue
es | opciones del sitemap | guide/sitemap-generation
es | menú de la barra lateral | reference/default-theme-sidebar, reference/default-theme-config
es | raíz del proyecto | guide/routing, guide/getting-started
es | gancho postRender | reference/site-config
fa | پیش‌نمایش ساخت تولیدی | reference/cli, guide/deploy
fa | صفحه 404 سفارشی | guide/custom-theme
fa | محتوای دلخواه Badge | reference/default-theme-badge
fa | منوهای کشویی | reference/default-theme-nav, reference/default-theme-config
fa | اجرا بعد از ساخت | reference/site-config
fa | فعال‌سازی lastUpdated | reference/default-theme-last-updated, reference/site-config
ko | 캐시 디렉터리 | reference/site-config
ko | 배지 타입 | reference/default-theme-badge
ko | 페이지레이아웃 옵션 | reference/default-theme-layout, reference/frontmatter-config
ko | 컴포넌트 전역 등록 | guide/using-vue, guide/extending-default-theme
ko | 팀페이지 만들기 | reference/default-theme-team-page
ko | siteTitle | reference/default-theme-config, reference/default-theme-nav
pt | arquivos fonte markdown | guide/getting-started, guide/routing
pt | transição modo escuro | guide/extending-default-theme
pt | editLink pattern | reference/default-theme-edit-link, reference/default-theme-config
pt | componentes vue em títulos | guide/using-vue
pt | ícone link externo | reference/default-theme-config
pt | configuração do plugin vue | reference/site-config
ru | включить sitemap | guide/sitemap-generation
ru | блок спойлер | guide/markdown
ru | импорт кода из файла | guide/markdown
ru | значки внешних ссылок | reference/default-theme-config
ru | порт уже занят | reference/cli
ru | куки nf_lang | guide/i18n
`;

/** Returns the queries of a text, one a line. */
function parseQueries(text: string): readonly SearchQuery[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [language, query, pages] = line.split(' | ').map((part) => part.trim());
      return { language: language!, query: query!, pages: pages!.split(', ') };
    });
}

export const SEARCH_QUERIES = parseQueries(TEXT);
export const HELD_OUT_QUERIES = parseQueries(HELD_OUT_TEXT);
