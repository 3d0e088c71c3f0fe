/** The ratios that the bench is to reach, and in which direction. `at most` holds for costs. */
const AIMS = {
  'create / Parse Server': { atLeast: 1.7 },
  'get / Parse Server': { atLeast: 3 },
  'list of 20 / Parse Server': { atLeast: 2 },
  'read / plain Express and pg, one select': { atLeast: 0.9 },
  'submit / plain Express and pg, one insert': { atLeast: 0.6 },
  "read / pgbench's rows of a record": { atLeast: 0.7 },
  'CPU of a read / bare Express with the same bytes': { atMost: 3 },
  'p99 / p50 of submits at 80 %': { atMost: 4 },
  'p99 / p50 of reads at 80 %': { atMost: 4 },
  'seconds from the second start to ready': { atMost: 1.6 },
  'seconds of a later start / Parse Server': { atMost: 0.5 },
  'idle memory / Parse Server': { atMost: 0.5 },
  'seconds of a later start / Directus': { atMost: 0.5 },
  'idle memory / Directus': { atMost: 0.5 },
} as const satisfies Record<string, Aim>;

type Aim = { readonly atLeast: number } | { readonly atMost: number };
export type AimName = keyof typeof AIMS;

/** Takes the ratio of this run for an aim. */
export type NoteRatio = (name: AimName, ratio: number) => void;

export interface Aims {
  readonly note: NoteRatio;
  /** A table of what was noted; null when nothing was. */
  table(): string | null;
}

export function openAims(): Aims {
  const noted = new Map<AimName, number>();
  return {
    note: (name, ratio) => void noted.set(name, ratio),
    table() {
      const rows = Object.entries<Aim>(AIMS).flatMap(([name, aim]) => {
        const ratio = noted.get(name as AimName);
        return ratio === undefined ? [] : [rowOf(name, ratio, aim)];
      });
      return rows.length === 0 ? null : [`${''.padEnd(WIDTH)}this run  aim`, ...rows].join('\n');
    },
  };
}

const WIDTH = Math.max(...Object.keys(AIMS).map((name) => name.length)) + 2;

function rowOf(name: string, ratio: number, aim: Aim): string {
  const isMet = 'atLeast' in aim ? ratio >= aim.atLeast : ratio <= aim.atMost;
  const bound = 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`;
  return `${name.padEnd(WIDTH)}${ratio.toFixed(2).padStart(8)}  ${bound}: ${isMet ? 'met' : 'missed'}`;
}
