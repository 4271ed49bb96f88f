import fc from '../../test/helpers/fast-check.ts';
import { SHAPE_READERS } from '../../test/helpers/shape-readers.ts';
import { findExcess, shapesOf } from '../../test/helpers/shapes.ts';
import type { Attack } from './attack.ts';

const MINUTES = Number(process.env['ATTACK_SHAPES_MIN'] ?? 2);
/** Characters of the shortest text of each shape; the longest has 16 times as many. */
const FIRST_LENGTH = 64_000;
const AT_A_TIME = 20;

/** Texts of authors, of all shapes, longer and longer, to everything of the engine that reads them. */
export const shapeAttack: Attack = {
  name: 'shapes',
  title: `Texts of random shapes, up to ${(16 * FIRST_LENGTH) / 1_000_000} MB, for ${MINUTES} min`,
  async run({ say }) {
    const seed = Date.now() % 1_000_000;
    const found: string[] = [];
    let count = 0;
    const end = Date.now() + MINUTES * 60_000;
    for (let round = 0; Date.now() < end; round++) {
      for (const reader of SHAPE_READERS) {
        const shapes = fc.sample(fc.tuple(shapesOf(reader.signs), fc.nat(1_000)), {
          numRuns: reader.name === 'page' ? AT_A_TIME : AT_A_TIME / 5,
          seed: seed + round,
        });
        for (const [shape, choice] of shapes) {
          if (Date.now() > end) break;
          count++;
          const seen = await findExcess(reader, shape, { choice, firstLength: FIRST_LENGTH }).then(
            (costs) => costs?.map(({ ms, length }) => `${length}: ${Math.round(ms)} ms`).join(', '),
            (error: unknown) => String(error),
          );
          if (seen === undefined) continue;
          found.push(`${reader.name} ${choice} ${JSON.stringify(shape)}: ${seen}`);
          say(found.at(-1)!);
        }
      }
    }
    return [
      {
        name: 'each costs what it is long, or is refused with its line',
        holds: found.length === 0,
        seen: `${count} shapes, seed ${seed}${found.length === 0 ? '' : `; ${found.length}: ${found.slice(0, 5).join('; ')}`}`,
      },
    ];
  },
};
