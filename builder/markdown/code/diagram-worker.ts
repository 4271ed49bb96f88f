import { parentPort, workerData } from 'node:worker_threads';
import type { DiagramAnswer } from './diagram-checker.ts';

/*
 * Runs on a worker thread: parses the diagrams it is sent, in their order, with the script that draws them in browsers. What cleans
 * their labels needs a document, without which its functions are missing; nothing is drawn here, and nothing else runs here.
 */
Object.assign(Function.prototype, { addHook: () => {}, sanitize: (text: unknown) => text });
const script = import(workerData as string) as Promise<{ readonly parse: (text: string) => Promise<unknown> }>;

parentPort!.on('message', async (text: string) => {
  const { parse } = await script;
  let answer: DiagramAnswer;
  try {
    await parse(text);
    answer = {};
  } catch (error) {
    const { name, message, hash } = error as Error & { readonly hash?: { readonly loc?: { first_line?: number } } };
    // Anything else is not about the text.
    const isOfText = hash !== undefined || name === 'UnknownDiagramError' || message.startsWith('Parsing failed');
    answer = isOfText ? { message, line: hash?.loc?.first_line } : {};
  }
  parentPort!.postMessage(answer);
});
