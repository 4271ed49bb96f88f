import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';

/** Runs as a separate process: bare markdown-it over the pages in a JSON file; prints the time it took, ms. */
const pages = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as readonly string[];
const start = performance.now();
const parser = new MarkdownIt({ html: true, linkify: true });
let characters = 0;
for (const page of pages) characters += parser.render(page).length;
console.log(JSON.stringify({ ms: performance.now() - start, characters }));
