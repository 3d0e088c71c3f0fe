/** @returns a random whole number from 0 to before `below`, at most 2^32 */
export type Draw = (below: number) => number;

/** Draws by the random numbers of the system, each number equally likely. */
export function systemDraw(below: number): number {
  const most = Math.floor(2 ** 32 / below) * below;
  for (;;) {
    const [number = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
    if (number < most) return number % below;
  }
}

/** Up to `count` different members, each set of them equally likely. */
export function sampleOf<Member>(all: readonly Member[], count: number, draw: Draw): readonly Member[] {
  const rest = [...all];
  const length = Math.min(count, rest.length);
  return Array.from({ length }, () => {
    const at = draw(rest.length);
    const last = rest.pop() as Member;
    const member = rest[at] ?? last;
    if (at < rest.length) rest[at] = last;
    return member;
  });
}

/**
 * How many of `all` may at most be faulty when none of a sample is: with more faults a sample without any has a probability below
 * 5 % (hypergeometric distribution).
 */
export function mostFaulty(sample: number, all: number): number {
  let probability = 1;
  for (let faulty = 0; ; faulty += 1) {
    const sound = all - sample - faulty;
    probability *= sound > 0 ? sound / (all - faulty) : 0;
    if (probability < 0.05) return faulty;
  }
}
