import type { Block } from '../../data/records/block.ts';

/** Gives a block of one address by the operator, for ever, but for these values. */
export function createBlock(values: Partial<Block> = {}): Block {
  return {
    kind: 'source',
    target: '203.0.113.7/32',
    by: 'operator',
    reason: '',
    createdAt: '2026-05-04T12:00:00.000Z',
    until: '',
    ...values,
  };
}
