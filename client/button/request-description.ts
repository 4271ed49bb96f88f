import type { Description, FoundDescription } from './description.ts';
import type { Project } from './find-project.ts';
import { locatePage } from './locate-page.ts';
import { pagePath } from './page-path.ts';

/**
 * Asks for the description. Rejects when there is no answer in 10 seconds, or one that cannot be it: no JSON, or more than
 * 8 million characters.
 */
export async function requestDescription({ root, api }: Project): Promise<FoundDescription> {
  const path = decodeURIComponent(pagePath(root));
  const { body } = await fetch(api ? `${api}?path=/${encodeURIComponent(path)}` : `${root}versions.json`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(10_000),
  });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // What is too long breaks off here and is no JSON then; the signal ends the transfer.
  while (text.length < 8_000_000) {
    const { value } = await reader.read();
    if (!value) break;
    text += value;
  }
  // Objects are indexed by names from outside: nothing but the answer's own fields may be found in them.
  const answer = JSON.parse(text, (_, value) =>
    value instanceof Object && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value,
  );
  const description: Description = answer.data ?? answer;
  description.here ??= locatePage(description, path);
  return description as FoundDescription;
}
