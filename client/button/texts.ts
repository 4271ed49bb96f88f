/** The button's words in one language. `missing` is said of a page, and of the list when it cannot be had. */
export type Texts = readonly [
  code: string,
  label: string,
  languages: string,
  branches: string,
  tags: string,
  missing: string,
  /** The old-version notice: these stand before the version at hand and before the newest one. */
  reading: string,
  newest: string,
];

/** In the order of `Texts`. The script's size is limited: these are the most read languages, all others get English. */
const TABLE = `en|Languages and versions|Languages|Branches|Tags|not available|You are reading|the newest is
fr|Langues et versions|Langues|Branches|Tags|indisponible|Vous lisez|la dernière est
pt|Idiomas e versões|Idiomas|Branches|Tags|indisponível|Lendo|a última é
es|Idiomas y versiones|Idiomas|Ramas|Etiquetas|no disponible|Leyendo|la última es
de|Sprachen und Versionen|Sprachen|Branches|Tags|nicht verfügbar|Sie lesen|aktuell ist
fa|زبان‌ها و نسخه‌ها|زبان‌ها|شاخه‌ها|برچسب‌ها|موجود نیست|کنونی|تازه‌ترین
ar|اللغات والإصدارات|اللغات|الفروع|الوسوم|غير متاح|تقرأ|الأحدث
zh|语言和版本|语言|分支|标签|暂无|正在阅读|最新版本
ja|言語とバージョン|言語|ブランチ|タグ|ありません|表示中|最新
ru|Языки и версии|Языки|Ветки|Теги|недоступно|Вы читаете|новейшая
ko|언어 및 버전|언어|브랜치|태그|없음|현재|최신`;

/** Returns the texts for a BCP 47 tag: those of its base language, else English. */
export function findTexts(tag: string): Texts {
  const lines = TABLE.split('\n').map((line) => line.split('|') as unknown as Texts);
  return lines.find(([code]) => code === tag.split('-')[0]) ?? lines[0]!;
}
