import { z } from 'zod';
import { buildStatus } from '../http/build-answers.ts';

/** The schema of a build as programs see it. */
export const buildSchema = z.object({
  id: z.string(),
  project: z.string(),
  kind: z.enum(['build', 'remove', 'refresh']),
  ref: z.string().describe('Branch or tag; empty = all of them'),
  cause: z.enum(['command', 'api', 'webhook', 'restart', 'start']),
  status: buildStatus,
  commit: z.string().describe('Empty = unknown'),
  reason: z.string().describe('Why it ended as it did'),
  requests: z.number().describe('Requests that this build answers'),
  retryOf: z.string().describe('The interrupted build that is run again; empty = none'),
  createdAt: z.string(),
  startedAt: z.string().describe('Empty = not yet'),
  finishedAt: z.string().describe('Empty = not yet'),
  result: z
    .object({
      versions: z.number(),
      languages: z.number(),
      pages: z.number(),
      rendered: z.number(),
      reused: z.number(),
      errors: z.number().optional().describe('Pages and versions that could not be published as written'),
      warnings: z.number(),
      bytes: z.number(),
      ms: z.number(),
      fetchMs: z.number(),
    })
    .optional()
    .describe('What was built, once it has passed'),
  url: z.string(),
  log: z.string(),
  problems: z.string().describe('URL of the problems the build found'),
});

/** The schema of what a build found. */
export const problemsSchema = z.object({
  errors: z.number().describe('All of them, including those that are not listed'),
  warnings: z.number(),
  problems: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      ref: z.string(),
      file: z.string().describe('Empty = the whole version'),
      line: z.number().describe('From 1; 0 = the whole file'),
      code: z.string(),
      message: z.string(),
    }),
  ),
});
