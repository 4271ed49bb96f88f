import { cpuTimeMs, measureSlowness } from './cpu-time.ts';
import fc, { type Arbitrary } from './fast-check.ts';

/** A text that can be made as long as one likes; plain data, so that a failing one can be kept as a case. */
export type Shape =
  /** One thing again and again; `№` in it is the number of the turn. */
  | { readonly kind: 'repeated'; readonly before: string; readonly unit: string; readonly after: string }
  /** Many of one thing, then as many of another: definitions and their uses, openings and their ends. */
  | { readonly kind: 'halves'; readonly before: string; readonly first: string; readonly second: string }
  /** Lines of which each is longer than the one before: deeper and deeper, longer and longer marks. */
  | {
      readonly kind: 'growing';
      readonly before: string;
      readonly grown: string;
      readonly unit: string;
      readonly falls: boolean;
    }
  /** Signs of a part of Unicode without any space. */
  | { readonly kind: 'script'; readonly from: number; readonly steps: readonly number[]; readonly unit: string };

/** Returns the text of a shape, of about so many characters. */
export function writeShape(shape: Shape, length: number): string {
  switch (shape.kind) {
    case 'repeated':
      return shape.before + repeat(shape.unit, length) + shape.after;
    case 'halves':
      return shape.before + repeat(shape.first, length / 2) + repeat(shape.second, length / 2);
    case 'growing': {
      const count = Math.ceil(Math.sqrt((2 * length) / shape.grown.length));
      const rows = Array.from(
        { length: count },
        (_, at) => shape.grown.repeat(at) + shape.unit.replaceAll('№', String(at)),
      );
      return shape.before + (shape.falls ? rows.reverse() : rows).join('\n');
    }
    case 'script': {
      const word = shape.steps.map((step) => String.fromCodePoint(shape.from + step)).join('');
      return repeat(word + shape.unit, length);
    }
  }
}

function repeat(unit: string, length: number): string {
  const count = Math.max(1, Math.ceil(length / unit.length));
  if (!unit.includes('№')) return unit.repeat(count);
  return Array.from({ length: count }, (_, at) => unit.replaceAll('№', at.toString(36))).join('');
}

/** Returns shapes made of some signs. */
export function shapesOf(signs: readonly string[]): Arbitrary<Shape> {
  const sign = fc.constantFrom(...signs);
  const word = (maxLength: number) => fc.array(sign, { minLength: 1, maxLength }).map((parts) => parts.join(''));
  const maybe = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: word(2) });
  return fc.oneof(
    // A long run of one sign in the middle of something: where expressions begin anew at each sign of it.
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('repeated' as const), before: word(2), unit: sign, after: word(2) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('repeated' as const), before: maybe, unit: word(4), after: maybe }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('halves' as const), before: maybe, first: word(3), second: word(3) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('growing' as const),
        before: maybe,
        unit: word(3),
        falls: fc.boolean(),
        grown: fc.oneof(fc.constantFrom(' ', '  ', '> ', '- ', '#', ':', '`', '[', '(', '{', '\t'), sign),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('script' as const),
        from: startOfScript,
        steps: fc.array(fc.nat(63), { minLength: 1, maxLength: 6 }),
        unit: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: sign }),
      }),
    },
  );
}

/** The first of 64 signs anywhere in the planes of Unicode that have scripts, but for halves of pairs. */
const startOfScript = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 2, max: 0x35f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0x380, max: 0x7ff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xc00, max: 0xfff }) },
  )
  .map((block) => (block >= 0x360 && block < 0x380 ? 0x20 : block) * 64);

/** Something of the engine that reads texts from outside. */
export interface Reader {
  readonly name: string;
  readonly signs: readonly string[];
  /** Reads a text; returns whether it was refused, and throws only what nobody may be told. `choice` picks among its ways to read. */
  readonly read: (text: string, choice: number) => Promise<boolean>;
}

export interface ShapeCost {
  readonly ms: number;
  readonly length: number;
  readonly isRefused: boolean;
}

/** The first of three lengths, in characters, of which each is four times the one before. */
const FIRST_LENGTH = 16_000;
/** CPU time in ms that any text of a length may take, and beyond that for each 1,000 characters. */
const FREE_MS = 1_000;
const MS_PER_1000 = 12;
/** CPU time in ms after which a text is refused at the latest. */
const REFUSED_MS = 6_000;
/** Twice as much as four times the time is more than noise. */
const GROWTH = 8;

/**
 * Returns what reading longer and longer texts of a shape cost, if it is too much: more than a budget per character, or growing
 * faster than the text. What is refused has been read.
 */
export async function findExcess(
  reader: Reader,
  shape: Shape,
  { choice, firstLength = FIRST_LENGTH }: { readonly choice: number; readonly firstLength?: number },
): Promise<readonly ShapeCost[] | undefined> {
  const costs: ShapeCost[] = [];
  const lengths = [firstLength, 4 * firstLength, 16 * firstLength];
  for (const [at, length] of lengths.entries()) {
    const before = costs[at - 1];
    const isTooMuch = ({ ms, isRefused }: ShapeCost, slowness = 1): boolean =>
      isRefused
        ? ms > REFUSED_MS * slowness
        : ms > (FREE_MS + (MS_PER_1000 * length) / 1_000) * slowness ||
          (at === 2 && before !== undefined && ms > GROWTH * Math.max(before.ms, 50));
    const cost = await measure(reader, shape, choice, length);
    costs.push(cost);
    // Once more: it may have been the machine.
    if (isTooMuch(cost)) {
      const slowness = measureSlowness();
      const again = await measure(reader, shape, choice, length);
      if (isTooMuch(again, Math.max(slowness, measureSlowness()))) return costs;
    }
    // What does not grow by more than the text does is not looked at any longer.
    if (before !== undefined && cost.ms < 5 * Math.max(before.ms, 4)) return undefined;
  }
  return undefined;
}

async function measure(reader: Reader, shape: Shape, choice: number, length: number): Promise<ShapeCost> {
  const text = writeShape(shape, length);
  const start = cpuTimeMs();
  const isRefused = await reader.read(text, choice);
  return { ms: cpuTimeMs() - start, length: text.length, isRefused };
}
