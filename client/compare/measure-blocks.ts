import type { Block } from './block.ts';
import { drawSketch, type Sketch } from './likeness.ts';

/** What tells whether blocks are the same ones. */
export interface Measures {
  /** Equal for blocks that look equal and lead to the same. */
  idOf(block: Block): number;
  /** Words that are no spaces. */
  sizeOf(block: Block): number;
  sketchOf(block: Block): Sketch;
  /** The name of the block: the heading of a section, the first cell of a row. 0 = nothing. */
  labelOf(block: Block): number;
  /** Returns a number that is equal for equal texts. */
  intern(text: string): number;
}

interface Measure {
  readonly id: number;
  readonly size: number;
  readonly sketch: Sketch;
  readonly label: number;
}

/** Creates the measures; each block is measured once. */
export function createMeasures(): Measures {
  const ids = new Map<string, number>();
  const measures = new Map<Block, Measure>();
  const intern = (text: string): number => {
    const known = ids.get(text);
    if (known !== undefined) return known;
    ids.set(text, ids.size + 1);
    return ids.size;
  };
  const measure = (block: Block): Measure => {
    const known = measures.get(block);
    if (known) return known;
    const inner = block.children.map(measure);
    const own = block.words.filter(({ text }) => text.trim() !== '');
    const first = block.kind === 'section' || block.kind === 'row' ? inner[0] : undefined;
    const said = block.words.map(({ text, look, link }) => `${text}\u0001${look}\u0001${link}`).join('\u0002');
    const found: Measure = {
      id: intern(`${block.kind}\u0003${said}\u0003${inner.map(({ id }) => id).join(' ')}`),
      size: inner.reduce((sum, { size }) => sum + size, own.length),
      sketch: drawSketch(
        own.map(({ text }) => text.toLowerCase()),
        inner.map(({ sketch }) => sketch),
      ),
      label: first && first.size > 0 ? intern(`${block.kind}\u0004${first.id}`) : 0,
    };
    measures.set(block, found);
    return found;
  };
  return {
    idOf: (block) => measure(block).id,
    sizeOf: (block) => measure(block).size,
    sketchOf: (block) => measure(block).sketch,
    labelOf: (block) => measure(block).label,
    intern,
  };
}
