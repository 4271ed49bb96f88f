/**
 * The languages that can be highlighted, so that a page can be rendered without loading Shiki. A test compares this
 * table with `shiki/langs`; names of grammars, then aliases.
 */
const NAMES = `
  abap actionscript-3 ada ahk ahk2 angular-html angular-ts apache apex apl applescript ara asciidoc asm astro awk
  ballerina bat beancount berry bibtex bicep bird2 blade bsl c c3 cadence cairo chapel clarity clojure cmake cobol
  codeowners codeql coffee common-lisp coq cpp crystal csharp css csv cue cypher d dart dax desktop diff docker
  dotenv dream-maker edge elixir elm emacs-lisp erb erlang fennel fish fluent fortran-fixed-form fortran-free-form
  fsharp gdresource gdscript gdshader genie gherkin git-commit git-rebase gleam glimmer-js glimmer-ts glsl gn
  gnuplot go graphql groovy hack haml handlebars haskell haxe hcl hjson hlsl html html-derivative http hurl hxml hy
  imba ini java javascript jinja jison json json5 jsonc jsonl jsonnet jssm jsx julia just kdl kotlin kusto latex
  lean less liquid llvm log logo lua luau make markdown marko matlab mdc mdx mermaid mipsasm mojo moonbit move
  narrat nextflow nextflow-groovy nginx nim nix nsis nushell objective-c objective-cpp ocaml odin openscad org
  pascal perl php pkl plsql po polar postcss powerquery powershell prisma prolog proto pug puppet purescript python
  qml qmldir qss r racket raku razor rbs reg regexp rel riscv ron rosmsg rst ruby rust sas sass scala scheme scss
  sdbl shaderlab shellscript shellsession smalltalk smithy solidity soy sparql splunk sql ssh-config stata stylus
  surrealql svelte swift system-verilog systemd talonscript tasl tcl templ terraform tex toml ts-tags tsv tsx
  turtle twig typescript typespec typst v vala vb verilog vhdl viml vue vue-html vue-vine vyper wasm wenyan wgsl
  wikitext wit wolfram xml xsl yaml zenscript zig
`;

const ALIASES = `
  actionscript=actionscript-3 as3=actionscript-3 ahk1=ahk adoc=asciidoc batch=bat cmd=bat be=berry bird=bird2
  1c=bsl cdc=cadence chpl=chapel clj=clojure ql=codeql coffeescript=coffee lisp=common-lisp c++=cpp c#=csharp
  cs=csharp cql=cypher dockerfile=docker elisp=emacs-lisp erl=erlang ftl=fluent f=fortran-fixed-form
  for=fortran-fixed-form f77=fortran-fixed-form f90=fortran-free-form f95=fortran-free-form f03=fortran-free-form
  f08=fortran-free-form f18=fortran-free-form f#=fsharp fs=fsharp tscn=gdresource tres=gdresource gd=gdscript
  gjs=glimmer-js gts=glimmer-ts gql=graphql hbs=handlebars hs=haskell properties=ini js=javascript cjs=javascript
  mjs=javascript fsl=jssm jl=julia justfile=just kt=kotlin kts=kotlin kql=kusto lean4=lean makefile=make
  md=markdown mmd=mermaid mips=mipsasm mbt=moonbit mbti=moonbit nar=narrat nf=nextflow nu=nushell objc=objective-c
  scad=openscad pot=po potx=po ps=powershell ps1=powershell pwsh=powershell protobuf=proto jade=pug py=python
  perl6=raku ruby-signature=rbs regex=regexp rb=ruby rs=rust 1c-query=sdbl shader=shaderlab bash=shellscript
  sh=shellscript shell=shellscript zsh=shellscript console=shellsession closure-templates=soy spl=splunk
  styl=stylus surql=surrealql talon=talonscript tf=terraform tfvars=terraform lit=ts-tags ts=typescript
  cts=typescript mts=typescript tsp=typespec typ=typst vim=viml vimscript=viml vy=vyper 文言=wenyan
  mediawiki=wikitext wiki=wikitext wl=wolfram yml=yaml
`;

/** Names in Pygments, Rouge, Chroma and others for languages that Shiki knows by another name, or for similar ones. */
const FOREIGN_ALIASES = `
  pycon=python python2=python python3=python py3=python ipython=python ipython3=python pytb=python sage=python
  golang=go node=javascript ecmascript=javascript mkd=markdown markdoc=markdown mdoc=markdown
  jinja2=jinja j2=jinja django=jinja nunjucks=jinja njk=jinja html+jinja=jinja html+django=jinja tera=jinja
  go-html-template=html go-text-template=html gotmpl=html gohtml=html go-template=html
  html+erb=erb rhtml=erb batchfile=bat dosbatch=bat winbatch=bat apacheconf=apache htaccess=apache
  shell-session=shellsession sh-session=shellsession ksh=shellscript env=dotenv conf=ini cfg=ini
  postgresql=sql postgres=sql mysql=sql sqlite=sql vb.net=vb vbnet=vb objectivec=objective-c obj-c=objective-c
  jsonld=json math=latex webmanifest=json irb=ruby mermaid-example=mermaid cr=crystal scm=scheme
  tsq=scheme
`;

const PLAIN_NAMES = (
  ' text txt plain plaintext plain-text plain_text ansi none default no-highlight nohighlight nocode raw output code ' +
  'text-only nothing ascii gitignore dockerignore requirements.txt'
).split(' ');

const GRAMMAR_OF_NAME = new Map<string, string | undefined>([
  ...readAliases(FOREIGN_ALIASES),
  ...PLAIN_NAMES.map((name) => [name, undefined] as const),
  ...NAMES.trim()
    .split(/\s+/)
    .map((name) => [name, name] as const),
  ...readAliases(ALIASES),
]);

function readAliases(pairs: string): readonly [string, string][] {
  return pairs
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]);
}

/** A language and what a site does with its code: `js-live`, `crystal-play`, `sql_snippet`. */
const VARIANT =
  /^([a-z][^-_]+)[-_](?:demo|editable|example|exec|live|nolint|play|playground|preview|repl|run|runnable|snippet|test)$/;

/** Returns whether a fence's language (lower-case) is known, including plain text. */
export function isKnownLanguage(language: string): boolean {
  return knownName(language, GRAMMAR_OF_NAME) !== undefined;
}

/** Returns the name of the grammar for a fence's language (lower-case), or undefined for plain text and unknown ones. */
export function findGrammar(language: string): string | undefined {
  return GRAMMAR_OF_NAME.get(knownName(language, GRAMMAR_OF_NAME) ?? '');
}

/** Keys of the grammars of extensions, by the names of their languages. */
export type OwnLanguages = ReadonlyMap<string, string>;

/** Returns the key of the grammar that an extension has for a fence's language (lower-case). */
export function findOwnGrammar(language: string, own: OwnLanguages | undefined): string | undefined {
  return own?.get(knownName(language, own) ?? '');
}

function knownName(language: string, names: ReadonlyMap<string, unknown>): string | undefined {
  if (names.has(language)) return language;
  const family = VARIANT.exec(language)?.[1];
  return family !== undefined && names.has(family) ? family : undefined;
}

/**
 * Grammars that are loaded together and separately from all others, by the name of their set. A set is always loaded
 * whole: the effect of a grammar depends on which others are loaded (Markdown colours code blocks of loaded languages,
 * Vue's grammar changes HTML's), and must not depend on which block comes first.
 */
const GRAMMAR_SETS = new Map<string, readonly string[]>([
  [
    'web',
    ['javascript', 'typescript', 'jsx', 'tsx', 'html', 'css', 'scss', 'less', 'json', 'jsonc', 'vue', 'vue-html'],
  ],
  ['markdown', ['markdown', 'javascript', 'typescript', 'html', 'css', 'json', 'vue', 'yaml', 'shellscript', 'diff']],
]);

const SET_OF_GRAMMAR = new Map([
  ...GRAMMAR_SETS.get('web')!.map((grammar) => [grammar, 'web'] as const),
  ['markdown', 'markdown'] as const,
]);

const GROUP_OF_GRAMMAR = new Map([
  ...['javascript', 'typescript', 'jsx', 'tsx', 'json', 'jsonc'].map((grammar) => [grammar, 'script'] as const),
  ...['html', 'css', 'scss', 'less', 'vue', 'vue-html', 'markdown'].map((grammar) => [grammar, 'markup'] as const),
]);

/**
 * Returns the group of a fence's language, for distributing blocks to workers: languages of one group share compiled
 * patterns, so one worker should do all of them. `script` and `markup` cost about the same where both are used; any
 * other language is a group of its own, under its grammar's name. '' = plain text, which costs nothing.
 */
export function languageGroup(language: string): string {
  const grammar = findGrammar(language);
  return grammar === undefined ? '' : (GROUP_OF_GRAMMAR.get(grammar) ?? grammar);
}

/** Returns the set of grammars that one grammar is loaded in: its name, and all names in it. */
export function findGrammarSet(grammar: string): { readonly name: string; readonly grammars: readonly string[] } {
  const name = SET_OF_GRAMMAR.get(grammar) ?? grammar;
  return { name, grammars: GRAMMAR_SETS.get(name) ?? [grammar] };
}

/** Size limit of a highlighted block, in characters. */
const MAX_HIGHLIGHTED_BLOCK = 100_000;

/** Size limit of a line in a highlighted block, in characters. */
const MAX_HIGHLIGHTED_LINE = 5_000;

/** Returns whether code is too long to be highlighted in reasonable time. */
export function isOverHighlightLimit(text: string): boolean {
  if (text.length > MAX_HIGHLIGHTED_BLOCK) return true;
  if (text.length <= MAX_HIGHLIGHTED_LINE) return false;
  return text.split('\n').some((line) => line.length > MAX_HIGHLIGHTED_LINE);
}
