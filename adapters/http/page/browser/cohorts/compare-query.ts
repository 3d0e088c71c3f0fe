import { HORIZON_RANGES, type TrackFilters } from '../agents/track-query.ts';
import type { Schemas } from '../kit/schemas.ts';
import { counted } from '../kit/value-texts.ts';
import type { CohortFilters } from './cohort-query.ts';

/** What stands for the agent `b` where a cohort is next to `a`. */
export const COHORT = 'cohort';

/** What is compared, as the address names it; empty: not filtered. */
export interface Comparison {
  readonly a: string;
  /** An agent, `COHORT`, or nothing. */
  readonly b: string;
  /** `stock:MSFT` */
  readonly instrument: string;
  readonly direction: string;
  /** A range of seconds, `3601-86400`; next to a cohort, which has no ranges, a number of them. */
  readonly horizon: string;
  readonly origin: string;
}

export const HORIZONS = HORIZON_RANGES.map(({ name, from, to }) => ({ name, value: `${from}-${to ?? ''}` }));

/** What an address asks. @param first the agent where it names none */
export function questionOf(query: URLSearchParams, first: string): Comparison {
  const get = (name: string) => query.get(name)?.trim() ?? '';
  const [b, horizon] = [get('b'), get('horizon')];
  return {
    a: get('a') || first,
    b,
    instrument: /^(?:stock|crypto):/.test(get('instrument')) ? get('instrument') : '',
    direction: get('direction'),
    horizon: (b === COHORT ? /^\d+$/ : /^\d+-\d*$/).test(horizon) ? horizon : '',
    origin: get('origin'),
  };
}

export function compareAddress(question: Partial<Comparison>): string {
  return `#/compare?${new URLSearchParams(Object.entries(question).filter(([, value]) => value !== ''))}`;
}

/** Whether all graded decisions of an agent are asked for, of one origin. */
export function isWhole({ instrument, direction, horizon }: Comparison): boolean {
  return `${instrument}${direction}${horizon}` === '';
}

/** The filters of the track record. */
export function agentFilters({ instrument, direction, horizon }: Comparison): TrackFilters {
  const [, symbol] = splitInstrument(instrument);
  const [from = '', to = from] = horizon.split('-');
  return {
    ...(symbol && { symbol }),
    ...(direction && { direction }),
    ...(from && { holding_seconds_min: from }),
    ...(to && { holding_seconds_max: to }),
  };
}

/** The filters of the cohort of the same question; null without an instrument, which makes it one of a whole market. */
export function cohortOf({ instrument, direction, horizon, origin }: Comparison): CohortFilters | null {
  const [market, symbol] = splitInstrument(instrument);
  if (market === '') return null;
  return {
    market,
    symbol,
    ...(direction && { direction }),
    ...(horizon && { horizon_kind: 'holding_seconds', horizon_value: horizon }),
    ...(origin === 'retroactive' && { include_retroactive: 'true' }),
  };
}

function splitInstrument(instrument: string): readonly [market: string, symbol: string] {
  const at = instrument.indexOf(':');
  return [instrument.slice(0, Math.max(0, at)), instrument.slice(at + 1)];
}

type Overview = Schemas['CohortOverview'];

/** Why the counts of a cohort say less about an agent than they seem to. */
export function cohortCautions(
  { sample_count, retroactive_count, windows, result_distribution, had_said }: Overview,
  { horizon, origin }: Pick<Comparison, 'horizon' | 'origin'>,
): readonly string[] {
  const of = sample_count ?? 0;
  return [
    'It has the decisions of this agent too, so the two are not independent.',
    ...(origin === 'retroactive'
      ? [`It has both kinds: ${retroactive_count ?? 0} of ${of} were stated after the prices were known.`]
      : []),
    ...(windows !== null && windows.disjoint < of
      ? [`Windows overlap, so one move of the market is counted more than once: ${windows.disjoint} do not.`]
      : []),
    ...(windows === null ? ['Whether windows overlap is not counted for so many decisions.'] : []),
    ...(result_distribution !== null && isOfOneDirection({ result_distribution, had_said })
      ? ['One direction in all windows came out the same: this shows the market, not a choice.']
      : []),
    ...(horizon === ''
      ? ['Of a decision over several horizons it counts one; the agent\u2019s counts have each.']
      : []),
    'Owners choose what they submit: these are no odds, and no bar to reach.',
  ];
}

type GradedCounts = Pick<
  Schemas['TrackRecord'],
  'evaluated_count' | 'unavailable_count' | 'windows' | 'result_distribution' | 'had_said'
>;

/** Why the counts of an agent show less than they seem to. */
export function agentCautions(counts: GradedCounts, origin: string): readonly string[] {
  const { evaluated_count, unavailable_count, windows } = counts;
  const cautions: readonly (readonly [boolean, string])[] = [
    [origin === 'retroactive', 'Stated after the prices were known: the agent could have known the outcome.'],
    [
      windows !== null && windows.disjoint < evaluated_count,
      `Windows overlap, so one move of the market is counted more than once: ${windows?.disjoint ?? 0} do not.`,
    ],
    [windows === null, 'Whether windows overlap is not counted for so many decisions.'],
    [isOfOneDirection(counts), 'One direction in all windows came out the same: this shows the market, not a choice.'],
    [unavailable_count > 0, `${counted(unavailable_count, 'decision')} ended without a grade that counts.`],
  ];
  return cautions.flatMap(([holds, words]) => (holds ? [words] : []));
}

function isOfOneDirection({ result_distribution, had_said }: Pick<GradedCounts, 'result_distribution' | 'had_said'>) {
  const text = (counts: object) => JSON.stringify(Object.entries(counts).sort());
  return Object.values(had_said ?? {}).some((said) => text(said) === text(result_distribution));
}
