/** Returns the BCP 47 tag of a language code as repositories spell it: `zh_CN` is `zh-CN`. */
export function toTag(code: string): string {
  return code.replace(/_/g, '-');
}
