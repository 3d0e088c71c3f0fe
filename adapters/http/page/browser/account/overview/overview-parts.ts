import { gradedRows } from '../../agents/month-drawing.ts';
import { bucketLegend, columnTable, type MarketMove, marketMoves, stacks, WAYS } from '../../agents/outcome-chart.ts';
import { totalOf } from '../../agents/outcome-columns.ts';
import { ask } from '../../kit/ask.ts';
import { figure, folded, foldedFigure } from '../../kit/charts.ts';
import { RESULT_BUCKETS } from '../../kit/domain.ts';
import { type Child, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showNewest, showReading } from '../../kit/states.ts';
import { s } from '../../kit/svg.ts';
import { table } from '../../kit/tables.ts';
import { counted, day, fromNow, horizon, instant, instrument, percent, plain, signed } from '../../kit/value-texts.ts';
import { type Filters, listAddress } from '../../records/decision-query.ts';
import type { Counted, Origin, Reads } from './overview-reads.ts';
import { noticesOf } from './overview-words.ts';
import { zStrip } from './z-strip.ts';

/** What the owner should act on. Nothing is shown if there is nothing. */
export async function showNotices(box: HTMLElement, signal: AbortSignal, { counts }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'notices',
    async read() {
      const [{ expiring_keys }, webhooks, legal, erasure, factors] = await Promise.all([
        counts(),
        ask<Schemas['WebhookPage']>('/api/v1/owner/webhooks', { signal }),
        ask<Schemas['LegalStatus']>('/api/v1/owner/legal-status', { signal }),
        ask<Schemas['ScheduledErasure']>('/api/v1/owner/erasure', { signal }),
        ask<Schemas['FactorList']>('/api/v1/owner/auth/factors', { signal }),
      ]);
      return noticesOf({ expiring: expiring_keys, webhooks: webhooks.items, legal, erasure, factors }, instant);
    },
    show: (notices) => [
      notices.length > 0 &&
        h(
          'ul',
          { class: 'notices', 'aria-label': 'Notices' },
          ...notices.map(({ words, href, action }) =>
            h('li', { class: 'notice' }, `${words} `, h('a', { href }, action), '.'),
          ),
        ),
    ],
  });
}

/** The filters of the list that has exactly the graded decisions of a count. */
function gradedFilters({ since, origin }: Pick<Counted, 'since' | 'origin'>, bucket?: string): Filters {
  return {
    lifecycle_state: 'evaluated',
    ...(bucket && { result_bucket: bucket }),
    submission_origin: origin,
    ...(since !== null && { ended_since: since }),
    include_archived: 'true',
  };
}

/** The four counts, each a link to the decisions that it counts. */
export async function showTiles(box: HTMLElement, signal: AbortSignal, { outcomes }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'the counts',
    async read() {
      const { since, origin, sums } = await outcomes();
      return { since, origin, sums };
    },
    show: ({ sums: { distribution, uncounted }, ...of }) => [
      h(
        'ul',
        { class: 'tiles', 'aria-label': 'Graded decisions by bucket' },
        ...RESULT_BUCKETS.map((bucket) =>
          h(
            'li',
            {},
            h(
              'a',
              { id: `tile-${bucket}`, class: 'tile', href: listAddress(gradedFilters(of, bucket)) },
              h('b', {}, distribution[bucket].toLocaleString('en-GB')),
              h('span', {}, h('span', { class: `mark ${bucket}`, 'aria-hidden': 'true' }), plain(bucket)),
            ),
          ),
        ),
      ),
      h(
        'p',
        { class: 'about' },
        h('a', { href: listAddress(gradedFilters(of)) }, counted(totalOf(distribution) + uncounted, 'graded decision')),
        `, ${rangeWords(of.since)}, stated ${of.origin === 'realtime' ? 'before' : 'after'} the prices were known.`,
        uncounted > 0 && ` ${uncounted} of them are in no bucket here: nothing explains their prices.`,
      ),
    ],
  });
}

function rangeWords(since: string | null): string {
  return since === null ? 'of all time' : `whose windows ended since ${day(`${since}T12:00:00Z`)}`;
}

const NOW: readonly (readonly [keyof Schemas['CountByState'], string])[] = [
  ['verified', 'open'],
  ['evaluating', 'being graded'],
  ['pending_verify', 'waiting for their instrument'],
  ['deferred', 'waiting for prices'],
  ['data_unavailable', 'without prices'],
  ['rejected', 'rejected'],
  ['quarantined', 'quarantined'],
];

/** What has no grade, whenever it was stated; each number leads to its list. */
export async function showNow(box: HTMLElement, signal: AbortSignal, { counts }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'what is open',
    read: async () => (await counts()).decisions.by_state,
    show(states) {
      const shown = NOW.filter(([state]) => states[state] > 0 || state === 'verified' || state === 'data_unavailable');
      return [
        h(
          'p',
          { class: 'now' },
          h('span', { class: 'soft' }, 'Now, of all time and both kinds: '),
          ...shown.map(([lifecycle_state, words]) =>
            h(
              'a',
              {
                id: `now-${lifecycle_state}`,
                href: listAddress({ lifecycle_state, include_archived: 'true' }),
              },
              h('b', {}, states[lifecycle_state].toLocaleString('en-GB')),
              ` ${words}`,
            ),
          ),
        ),
      ];
    },
  });
}

type Row = Schemas['OwnerDecisionSummary'];

/** Outcomes by the time at which their windows ended, next to what each direction would have got in them. */
export async function showOutcomes(box: HTMLElement, signal: AbortSignal, { outcomes, newest }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'the outcomes',
    async read() {
      const [found, rows] = await Promise.all([outcomes(), newest()]);
      return { ...found, moves: movesOf(rows) };
    },
    show: outcomeFigure,
  });
}

function outcomeFigure(found: Counted & { readonly moves: readonly MarketMove[] }): readonly Child[] {
  const { columns, origin, graded, sums, moves, range } = found;
  const [asDecided, ...others] = WAYS;
  const unit = columns[0]?.step ?? (range.days === null ? 'month' : 'week');
  const switches = h(
    'ul',
    { class: 'tabs' },
    ...(['realtime', 'retroactive'] as const).map((each) => originLink(each, found)),
  );
  if (graded[origin] === 0 || !asDecided)
    return [
      figure(
        'Outcomes',
        ABOUT,
        [switches, h('div', { class: 'nothing' }, h('p', {}, 'No window of a graded decision ended in this range.'))],
        null,
      ),
    ];
  const drawn = { columns, filters: { submission_origin: origin } };
  const panels = others.map((way) => h('div', {}, h('h4', {}, way.name), stacks({ way, ...drawn, height: 150 })));
  return [
    figure(
      `Outcomes by ${unit} in which the window ended`,
      ABOUT,
      [
        switches,
        bucketLegend(),
        h('h3', {}, asDecided.name),
        stacks({ way: asDecided, ...drawn, height: 220 }),
        ...(sums.had_said === null
          ? [h('p', { class: 'soft' }, 'What each direction would have got is not counted yet for all of them.')]
          : folded(h('h3', {}, 'What each direction would have got'), h('div', { class: 'panels three' }, ...panels))),
        ...(moves.length === 0
          ? []
          : folded(
              h('h3', {}, 'What the market did in the same windows'),
              h(
                'p',
                { class: 'soft' },
                'The reference of the venue, such as SPY, for each of the newest hundred; in no count.',
              ),
              marketMoves(moves, columns, 150),
            )),
      ],
      columnTable(columns),
    ),
  ];
}

const ABOUT =
  'Each bar is a number of decisions; all charts have one scale. Windows overlap, so one move of the market is in several of them.';

function originLink(each: Origin, { origin, graded, range }: Counted): HTMLElement {
  const count = graded[each];
  const href = `#/overview?${new URLSearchParams({ range: range.name, origin: each })}`;
  const words = `Stated ${each === 'realtime' ? 'before' : 'after'} the prices were known`;
  return h(
    'li',
    {},
    h('a', { id: `origin-${each}`, href, 'aria-current': each === origin && 'true' }, words),
    ` ${count.toLocaleString('en-GB')}`,
  );
}

function movesOf(rows: readonly Row[]): readonly MarketMove[] {
  return rows.flatMap((row) => {
    const move = row.path?.market_move ?? null;
    if (move === null) return [];
    const words = `Market ${percent(move)} while ${rowWords(row)}: ${plain(row.result_bucket ?? '')}`;
    return [{ at: Date.parse(row.window.end_time), move, words, href: `#/records/${row.record_id}` }];
  });
}

function rowWords(row: Row): string {
  return `${instrument(row)} ${row.direction} over ${horizon(row)}`;
}

/** z of the newest graded decisions. */
export async function showZ(box: HTMLElement, signal: AbortSignal, { newest }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'z of the newest decisions',
    read: newest,
    show(rows) {
      const byGrade = rows.toSorted((a, b) => gradedAt(a) - gradedAt(b));
      const shown = byGrade.flatMap((row) => gradedRows([row], row.submission_origin));
      if (shown.length === 0) return [];
      const numbers = table({
        caption: 'The newest first',
        rows: shown.toReversed(),
        columns: [
          { title: 'Decision', cell: ({ record_id, words }) => h('a', { href: `#/records/${record_id}` }, words) },
          { title: 'z', kind: 'number', cell: ({ z }) => signed(z) },
          { title: 'Bucket', cell: ({ bucket }) => plain(bucket) },
        ],
      });
      return [
        foldedFigure(
          'z of the newest grades',
          'The move in sigmas of the window, signed by the direction.',
          [zStrip(shown)],
          numbers,
        ),
      ];
    },
  });
}

export function gradedAt({ evaluation: { evaluated_at } }: Row): number {
  return evaluated_at === null ? 0 : Date.parse(evaluated_at);
}

interface Pool {
  readonly name: string;
  readonly about: string;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: string;
}

/** What remains of the pools of the day. */
export async function showUsage(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'the quotas',
    read: () => ask<Schemas['Capabilities']>('/api/v1/public/auth/status?include=quota', { signal }),
    show({ quota }) {
      if (!quota) return [];
      const { query, read, check } = quota;
      const credit = query.credit > 0 ? `, ${query.credit} of them earned by graded decisions` : '';
      return [
        h(
          'ul',
          { class: 'pools' },
          pool({ name: 'Cohort queries', about: `of agents${credit}`, ...query }),
          pool({ name: 'Records and batches', about: 'read by agents', ...read }),
        ),
        h(
          'p',
          { class: 'about' },
          `All keys share them. Each decision has ${check.limit_per_decision} checks of its state a day.`,
        ),
      ];
    },
  });
}

function pool({ name, about, limit, remaining, reset }: Pool): HTMLElement {
  const share = limit === 0 ? 0 : (100 * remaining) / limit;
  const words = `${remaining.toLocaleString('en-GB')} of ${limit.toLocaleString('en-GB')} left`;
  return h(
    'li',
    {},
    h('span', {}, h('b', {}, name), ` ${about}`),
    h('span', { class: 'number' }, words),
    s(
      'svg',
      { width: '100%', height: 8, 'aria-hidden': 'true' },
      s('rect', { class: 'room', width: '100%', height: 8, rx: 4 }),
      s('rect', { class: 'left', width: `${share}%`, height: 8, rx: 4 }),
    ),
    h('span', { class: 'about', title: instant(reset) }, `full again ${fromNow(reset)}`),
  );
}
