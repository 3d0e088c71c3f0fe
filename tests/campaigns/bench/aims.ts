/** What the bench is to reach, and in which direction: ratios of one run, or figures. `at most` holds for costs. */
const AIMS = {
  'submit / plain Express and pg, one insert': { atLeast: 0.9 },
  'create / Parse Server': { atLeast: 3 },
  'get / Parse Server': { atLeast: 5 },
  'list of 20 / Parse Server': { atLeast: 5 },
  'read / plain Express and pg, one select': { atLeast: 1.8 },
  'CPU of a read / bare Express with the same bytes': { atMost: 2.6 },
  'CPU of a cohort of a market of 10,000 / of one symbol': { atMost: 2 },
  'CPU of a cohort of one symbol / an own record': { atMost: 4 },
  'slowest shape of a cohort / the median shape': { atMost: 4 },
  "CPU of a grade, folded and logged / the other commit's": { atMost: 0.6 },
  'CPU of a batch of 32 / 32 single reads': { atMost: 0.2 },
  "Parquet export, rows a CPU second / DuckDB's COPY": { atLeast: 0.5 },
  'p99 / p50 of submits at 80 %': { atMost: 3 },
  'p99 / p50 of reads at 80 %': { atMost: 3 },
  'bytes on disk a decision, submitted, graded, logged': { atMost: 6_000 },
  'bytes of WAL a decision, submitted, graded, logged': { atMost: 8_000 },
  'leaves a second of one worker': { atLeast: 20_000 },
  "read / pgbench's rows of a record": { atLeast: 0.7 },
  'seconds from the second start to ready': { atMost: 1.6 },
  'seconds of a later start / Parse Server': { atMost: 0.5 },
  'idle memory / Parse Server': { atMost: 0.5 },
  'seconds of a later start / Directus': { atMost: 0.5 },
  'idle memory / Directus': { atMost: 0.5 },
} as const satisfies Record<string, Aim>;

type Aim = { readonly atLeast: number } | { readonly atMost: number };
export type AimName = keyof typeof AIMS;

/**
 * Takes the ratio, or the figure, of this run for an aim.
 * @param about what else its row says, such as the size of the history
 */
export type NoteRatio = (name: AimName, ratio: number, about?: string) => void;

export interface Aims {
  readonly note: NoteRatio;
  /** A table of what was noted; null when nothing was. */
  table(): string | null;
}

export function openAims(): Aims {
  const rows = new Map<AimName, string>();
  return {
    note: (name, ratio, about) => void rows.set(name, rowOf(name, ratio, about)),
    table() {
      const inOrder = Object.keys(AIMS).flatMap((name) => rows.get(name as AimName) ?? []);
      return inOrder.length === 0 ? null : [`${''.padEnd(WIDTH)}this run  aim`, ...inOrder].join('\n');
    },
  };
}

const WIDTH = Math.max(...Object.keys(AIMS).map((name) => name.length)) + 2;

function rowOf(name: AimName, ratio: number, about?: string): string {
  const aim: Aim = AIMS[name];
  const isMet = 'atLeast' in aim ? ratio >= aim.atLeast : ratio <= aim.atMost;
  const bound = 'atLeast' in aim ? `>= ${aim.atLeast}` : `<= ${aim.atMost}`;
  const shown = ratio.toFixed(ratio < 100 ? 2 : 0).padStart(8);
  return `${name.padEnd(WIDTH)}${shown}  ${bound.padEnd(8)} ${isMet ? 'met' : 'missed'}${about ? ` (${about})` : ''}`;
}
