/** What is placed, by the size of a node with its label. */
interface SizedNode {
  readonly width: number;
  readonly height: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The middles of all nodes, or the forces on them. */
interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const ROUNDS = 300;
/** The distance that linked nodes tend to. */
const DISTANCE = 95;
/** Pulls everything to the middle. */
const GRAVITY = 1.1;
const FIRST_STEP = 120;
/** Between a node with its label and the next one. */
const GAP = 6;
const PUSHES = 200;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * Places nodes so that linked ones are near and none covers another or its label: forces as of springs and charges
 * (Fruchterman and Reingold 1991), then those that overlap are pushed apart. The same network has the same places.
 * @param links pairs of places in the list of nodes
 */
export function placesOf(nodes: readonly SizedNode[], links: readonly (readonly [number, number])[]): readonly Place[] {
  const places: Places = { x: new Float64Array(nodes.length), y: new Float64Array(nodes.length) };
  for (const at of nodes.keys()) {
    const [radius, angle] = [DISTANCE * 0.6 * Math.sqrt(at + 1), at * GOLDEN_ANGLE];
    places.x[at] = radius * Math.cos(angle);
    places.y[at] = radius * Math.sin(angle);
  }
  for (let round = 0; round < ROUNDS; round += 1) settle(places, links, FIRST_STEP * (1 - round / ROUNDS));
  for (let push = 0; push < PUSHES && pushApart(places, nodes); push += 1);
  return nodes.map((_, at) => ({ x: of(places.x, at), y: of(places.y, at) }));
}

function of(values: Float64Array, at: number): number {
  return values[at] ?? 0;
}

/** @param most how far a node may move */
function settle(places: Places, links: readonly (readonly [number, number])[], most: number): void {
  const { length } = places.x;
  const forces: Places = { x: places.x.map((x) => -GRAVITY * x), y: places.y.map((y) => -GRAVITY * y) };
  for (let a = 0; a < length; a += 1)
    for (let b = a + 1; b < length; b += 1) {
      const [x, y] = [of(places.x, b) - of(places.x, a), of(places.y, b) - of(places.y, a)];
      pull(forces, a, b, x, y, -(DISTANCE ** 2) / Math.max(1, x * x + y * y));
    }
  for (const [a, b] of links) {
    const [x, y] = [of(places.x, b) - of(places.x, a), of(places.y, b) - of(places.y, a)];
    pull(forces, a, b, x, y, Math.hypot(x, y) / DISTANCE);
  }
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [of(forces.x, at), of(forces.y, at)];
    const strength = Math.hypot(x, y);
    const part = strength > most ? most / strength : 1;
    places.x[at] = of(places.x, at) + part * x;
    places.y[at] = of(places.y, at) + part * y;
  }
}

/** Two nodes are drawn to each other, or away from each other where the part is negative. */
function pull(forces: Places, a: number, b: number, x: number, y: number, part: number): void {
  forces.x[a] = of(forces.x, a) + part * x;
  forces.y[a] = of(forces.y, a) + part * y;
  forces.x[b] = of(forces.x, b) - part * x;
  forces.y[b] = of(forces.y, b) - part * y;
}

/** Whether some overlapped. They move along the axis on which they overlap less, half of it each. */
function pushApart({ x, y }: Places, nodes: readonly SizedNode[]): boolean {
  let isMoved = false;
  for (let a = 0; a < nodes.length; a += 1)
    for (let b = a + 1; b < nodes.length; b += 1) {
      const [one, other] = [nodes[a], nodes[b]];
      const across = ((one?.width ?? 0) + (other?.width ?? 0)) / 2 + GAP - Math.abs(of(x, b) - of(x, a));
      const down = ((one?.height ?? 0) + (other?.height ?? 0)) / 2 + GAP - Math.abs(of(y, b) - of(y, a));
      if (across <= 0.01 || down <= 0.01) continue;
      isMoved = true;
      const values = across < down ? x : y;
      const half = (of(values, b) < of(values, a) ? -1 : 1) * (Math.min(across, down) / 2);
      values[a] = of(values, a) - half;
      values[b] = of(values, b) + half;
    }
  return isMoved;
}
