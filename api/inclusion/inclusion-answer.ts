import { z } from 'zod';
import type { EngineName } from '../../data/records/inclusion.ts';
import type { Verdict } from './result-page.ts';

/** What every answer of an inclusion query looks like, whatever its status. */
export const inclusionAnswerSchema = z.object({
  Included: z.boolean().describe('The engine has the address'),
  success: z.boolean().describe('The query was answered, whatever the answer'),
  deduct: z.boolean().describe('This request was counted'),
  url: z.string().describe('The address as it was searched for'),
  msg: z.string().nullable().describe('null when it is indexed, else what there is to say'),
});

export type InclusionAnswer = z.infer<typeof inclusionAnswerSchema>;

/** Returns the answer to a query that was asked. */
export function presentVerdict(
  verdict: Verdict,
  { engine, url, isCounted }: { readonly engine: EngineName; readonly url: string; readonly isCounted: boolean },
): InclusionAnswer {
  if (verdict.state === 'indexed') return { Included: true, success: true, deduct: isCounted, url, msg: null };
  const name = engine === 'alpha' ? 'Alpha' : 'Beta';
  if (verdict.state === 'failed') return presentFailure(`${name} gave no usable answer: ${verdict.reason}`, url);
  return { Included: false, success: true, deduct: isCounted, url, msg: `Not indexed by ${name}` };
}

/** Returns the answer to a query that was not answered. */
export function presentFailure(message: string, url = ''): InclusionAnswer {
  return { Included: false, success: false, deduct: false, url, msg: message };
}
