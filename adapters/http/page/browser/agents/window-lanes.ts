/** A window in milliseconds, of what is drawn in one group of lanes. */
export interface Stretch {
  readonly group: string;
  readonly from: number;
  readonly to: number;
}

export interface LaneGroup<Each extends Stretch> {
  readonly group: string;
  /** Windows of one lane do not overlap; as many lanes as windows overlap at once. */
  readonly lanes: readonly (readonly Each[])[];
}

/** The windows of each group in lanes, so that overlap is seen. The groups with the most windows first. */
export function windowLanes<Each extends Stretch>(windows: readonly Each[]): readonly LaneGroup<Each>[] {
  const groups = [...Map.groupBy(windows, ({ group }) => group)];
  return groups
    .toSorted(([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1))
    .map(([group, own]) => ({ group, lanes: lanesOf(own) }));
}

/** The first lane that is free at the start; windows that touch do not overlap. */
function lanesOf<Each extends Stretch>(windows: readonly Each[]): readonly (readonly Each[])[] {
  const lanes: Each[][] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? Number.NEGATIVE_INFINITY) <= window.from);
    if (free) free.push(window);
    else lanes.push([window]);
  }
  return lanes;
}
