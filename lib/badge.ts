/** Colours of badges that show a share, from so many percent on. */
const SHARES = [
  [90, 'brightgreen'],
  [75, 'green'],
  [50, 'yellow'],
  [25, 'orange'],
  [0, 'red'],
] as const;

/** A badge: the text on the left, and the one on the right with its color. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly style?: 'flat' | 'flat-square' | 'plastic' | 'for-the-badge' | 'social';
}

/** Draws a badge as SVG. */
export async function drawBadge(badge: Badge): Promise<string> {
  // Its tables of letter widths are 0.9 MB; what draws no badge does without.
  const { makeBadge } = await import('badge-maker');
  return makeBadge({ ...badge });
}

/** Returns what a badge says of a share in percent. */
export function describeShare(percent: number): Pick<Badge, 'message' | 'color'> {
  return { message: `${percent} %`, color: SHARES.find(([least]) => percent >= least)![1] };
}
