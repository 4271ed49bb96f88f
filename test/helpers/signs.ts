/** Returns the texts of a table, parted by blanks and line breaks: `␣` is a blank, and `⏎` a line break, in one of them. */
export function readTexts(table: string): readonly string[] {
  return table
    .trim()
    .split(/[ \n]+/)
    .map((text) => text.replaceAll('␣', ' ').replaceAll('⏎', '\n'));
}

/** Signs of any text. */
export const PLAIN = readTexts(`
  a B 1 ␣ ␣␣ ␣␣␣␣ \t ⏎ ⏎⏎ ⏎␣␣␣␣ x␣y # \\ " ' - \u00a0 ä 中 ก 😀 \0
`);

/** Signs that mean something in pages, of all generators; `№` is the number of the turn in what repeats them. */
export const MARKDOWN = [
  ...PLAIN,
  ...readTexts(`
  * ** _ __ ~ ~~ == ++ ^ \` \`\` \`\`\`⏎ \`\`\`js⏎ ~~~⏎ \`\`\`mermaid⏎ <<<␣a.md⏎ [ ] ![ ]( ](b) ) ( [a] [a№]
  [a№]:␣/b№⏎ [a]:␣/b⏎⏎ [^a№] [^a№]:␣x⏎⏎ ^[ [[a]] [a][b№] #␣ ##␣a⏎⏎ #␣a№⏎⏎ a⏎===⏎ ---⏎ >␣ -␣ *␣ 1.␣ -␣[␣]␣ :␣a⏎ ⏎:␣ \\⏎
  | |a|b|⏎ |-|-|⏎ :::␣tip⏎ :::␣code-group⏎ :::␣v-pre⏎ :::␣raw⏎ :::␣tabs⏎ :::␣a№⏎ :::⏎ ::::⏎ @tab␣a⏎ ::::␣a⏎ ::a⏎ ::tip⏎ ::button{to="b"}⏎ #title⏎ :pm-x{command="a"}⏎ :br⏎ ::⏎ ␣:a{b=c} :a{to="b"} ==␣a⏎
  !!!␣note⏎ !!!␣note⏎␣␣␣␣ ???␣a⏎ ===␣"a"⏎ ===␣"a"⏎␣␣␣␣ >␣[!NOTE]⏎ !INCLUDE --8<--␣"a.md"⏎ {!a.md!}
  <!--@include:␣a.md-->⏎ {{#include␣a.md}} < > <b> </b> <div> </div> <div>⏎⏎ </div>⏎⏎ <a␣href=" <A> </A> <A␣a={ />
  <!-- --> <? <script> </script> <style> <p> <details> <table><tr><td> <svg> <img␣src=a> <T␣a="b">⏎ { } {.a} {#a№}
  {:␣.a} {% %} {%␣a␣%}⏎ {%␣raw␣%} {%␣enda␣%} {{ }} {{<␣a␣>}} {{<␣/a␣>}} {{%␣a␣%}} {/* */} import␣a␣from␣"a"⏎
  export␣const␣a␣=␣ {a} $ $$ $$⏎ \\( \\[ $a$ \\frac{ \\begin{a} \\end{a} \\ref{a} \\label{a} ^{ _{ \\left( \\sqrt :a:
  :smile: :// http://a.b/ www.a.b a@b.c & &amp; &# &a *[a№]:␣b⏎ HTML [toc]⏎⏎ [[toc]]⏎⏎ \`\`\`{note}⏎ \`\`\`{tab-set}⏎
  (a)=⏎ {ref}\`a\` {kbd}\` :::{note}⏎ :a:␣b⏎ %a⏎ ..␣a::⏎ ?>␣a⏎ !>␣a⏎ [a](b␣":include")⏎ <!--␣tabs:start␣-->⏎
  <!--␣tabs:end␣-->⏎ ####␣**a**⏎ ! : = @ <a␣ <A␣ www. :::␣a⏎ ::: \`\`\` ~~~ <<<␣a [!NOTE] import␣ x^2^ *[a]:␣b⏎ あ \r
  [x](y) <Foo␣a={ }> </Foo> <Foo␣/> <Badge␣text="t"> </Badge> <title> <template␣#x> </template> </a> </td></tr></table> word
`),
];

export const YAML = [
  ...PLAIN,
  ...readTexts(`
  :␣ :⏎ a:␣b⏎ a№:␣b⏎ a№:␣&a№⏎ ␣␣a№:␣b⏎ -␣ -␣a⏎ ?␣ ?␣a⏎ [ ] { } , [a№, {a№:␣ &a &a№␣ *a *a␣ *a, *a№, <<:␣*a⏎ !␣ !a␣
  !!map␣ !ENV␣ |⏎ >⏎ ␣␣a⏎ |2⏎ ---⏎ ...⏎ %YAML␣1.2⏎ % @ # ␣#␣a⏎ #␣a⏎ null true 1e9 0x1 2001-01-01 ~ "a":␣1,⏎ " \\u0041
  \\x '' redirects:⏎ ␣␣/a№:␣/b⏎ nav:⏎ ␣␣-␣a№:␣b.md⏎ ␣␣-␣a№:⏎ title:␣ refs:␣ exclude:⏎ ␣␣-␣a*⏎ markdown:␣{
  INHERIT:␣a.yml⏎ plugins:⏎ aliases:⏎ ␣␣-␣/a№⏎
`),
];

export const TOML = [
  ...PLAIN,
  ...readTexts(`
  a␣=␣1⏎ a№␣=␣1⏎ [a]⏎ [a№]⏎ [[a]]⏎ [[a.b]]⏎ [a.b№]⏎ a. a№. =␣ =␣[ [ ] { } , " """ ''' \\u0041 1979-05-27 1_ 0x # true
  inf =␣{a= a.b№␣=␣1⏎
`),
];

export const SCRIPT = [
  ...PLAIN,
  ...readTexts(`
  { } [ ] ( ) , ;⏎ :␣ . ... ...a ? ! + -␣ =>␣ =␣ \` \${ / /* */ // < > <a> \`a\` /a/g ?. ?? || && const␣a␣=␣
  const␣a№␣=␣ a№ a№, export␣default␣ export␣default␣{ module.exports␣=␣ import␣a␣from␣"./a"⏎ import␣a№␣from␣"./a№"⏎
  export␣*␣from␣"./a№"⏎ require("./a№") function␣a()␣{ return␣ class␣A␣{ as␣const async␣ await␣ new␣ typeof␣
  themeConfig:␣{ sidebar:␣[ sidebar:␣{ "/a№/":␣[ items:␣[ {text:␣"a",␣link:␣"/b№"}, defineConfig( nav:␣[ base:␣" a№:␣{
  "a№", 'a', locales:␣{ alias:␣{ label:␣"a",␣items:␣[
`),
];

export const MARKUP = [
  ...PLAIN,
  ...readTexts(`
  < > </ /> <a ␣href=" ␣src=' ␣srcset=" a␣1x,␣ ␣style=" url( ) <style> </style> <script> </script> <!-- --> <![CDATA[
  ]]> <!DOCTYPE␣a␣[ <!ENTITY␣a␣" &a; &amp; <?xml␣ ?> <base␣href=a> <svg> </svg> <g> </g> <path␣d=" <title> <textarea>
  <img␣a№=b␣ @import␣"a"; @import␣url( @font-face{ a{b:c} { } /* */ ; : image-set( "a" \\ import␣"a"; import( from␣ \`
  \${
`),
];
