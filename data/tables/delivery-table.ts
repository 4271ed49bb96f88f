import { z } from 'zod';
import { defineCollection, joinKey } from '../collection.ts';
import { projects } from '../records/project.ts';

const schema = z.object({
  project: z.string().min(1),
  id: z.string().min(1),
  service: z.enum(['github', 'gitee', 'unknown']),
  event: z.string(),
  receivedAt: z.string(),
  status: z.number(),
  answer: z.string(),
  build: z.string(),
  action: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('build'), ref: z.string(), commit: z.string() }),
      z.object({ kind: z.literal('remove'), ref: z.string() }),
    ])
    .optional(),
});

export const deliveries = defineCollection({
  name: 'deliveries',
  singular: 'delivery',
  schema,
  keyOf: ({ project, id }) => joinKey(project, id),
  indexes: {
    byProject: {
      groupOf: ({ project }) => project,
      // Without the Z, times with and without fractions of a second sort as they should.
      orderOf: ({ receivedAt, id }) => `${receivedAt.replace(/Z$/, '')} ${id}`,
    },
  },
  owner: { collection: projects, index: 'byProject' },
});
