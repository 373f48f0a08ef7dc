// The tension of a meter that must hit by a sum: where it stands between its bounds, as everybody can see. What was drawn
// is known to no sign, so nothing here can tell how near the win is.

// From these parts of the way on it is near, nearer, nearest.
const NEAR = [0.75, 0.9, 0.97];

// 0 at the least, 1 at the most; null where the bounds are not known. All in cents.
export function placeOf(cents, least, most) {
  if (!(most > least)) return null;
  return Math.min(1, Math.max(0, (cents - least) / (most - least)));
}

// 0: not near, to 3: nearest.
export const nearness = (place) => NEAR.filter((from) => place >= from).length;
