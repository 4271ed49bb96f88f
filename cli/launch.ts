#!/usr/bin/env node
import { join } from 'node:path';
import { findCacheFolder } from './cache-folder.ts';
import { loadWithCodeCache } from './code-cache.ts';

// `dist/docbuild.js`, `dist/build-process.js` and `dist/mcp-worker.js` are this file: each starts the file of its name in `dist/command/`.
const { dirname, filename } = import.meta;
const name = filename.slice(dirname.length + 1, -'.js'.length);
const cacheFolder = findCacheFolder();
const started = loadWithCodeCache(
  join(dirname, 'command', `${name}.cjs`),
  cacheFolder && join(cacheFolder, 'code'),
) as { readonly finished?: Promise<unknown> };
// Node.js notices here if nothing is left to do before that.
await started.finished;
