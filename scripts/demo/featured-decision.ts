import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PriceTargets } from '../../domain/decisions/call.ts';
import type { Level, OutcomeFacts, StoredBar, Touch } from '../../domain/grading/outcome.ts';
import type { Excursion } from '../../domain/grading/paths/path-facts.ts';
import { accountFile, type Keys } from './agents.ts';
import type { Client, OwnerClient, OwnWorkflow, RecordState } from './client.ts';
import type { Acknowledgement } from './grades.ts';

/** npm sends Ctrl-C again to a process that has received it: two in this many milliseconds are the same one. */
const ONE_SIGNAL = 1_000;

const EXAMPLES = join(import.meta.dirname, '..', '..', 'docs', 'examples');

/** The agent whose owner publishes them. */
const AGENT = 'trend';

const ROWS = 15;

const COLUMNS = 60;

/** The path and the facts of one record: the first trade plan over two weeks or more with a touched level. */
export async function featuredDecision(
  client: Client,
  keys: Keys,
  records: readonly Acknowledgement[],
): Promise<string> {
  for (const record of records.filter(isLongPlan)) {
    const state = await client.state(keys.get(record.agent) ?? '', record.record_id);
    if (!state.outcome?.levels?.first_touch) continue;
    const chart = pathChart(state.outcome, record.submission.price_targets ?? {});
    return [`The path of ${record.record_id}`, '', chart, '', ...factsInWords(record, state)].join('\n');
  }
  return 'No trade plan has touched one of its levels.';
}

function isLongPlan({ submission }: Acknowledgement): boolean {
  return submission.price_targets !== undefined && submission.horizon_value >= 10 && submission.market === 'stock';
}

/** The facts of a closed record, in sentences and without a judgement. */
function factsInWords({ agent, submission }: Acknowledgement, { window, outcome }: RecordState): string[] {
  if (!outcome) return ['The record is not closed.'];
  const { symbol, venue, direction, data_cutoff } = submission;
  const { entry, exit, raw_return, mfe, mae, z, tau, sigma_d, coverage, source, bar_size, method } = outcome;
  const sigma = sigma_d * Math.sqrt(tau);
  return [
    `${agent} was ${direction} on ${symbol} (${venue}), knowing the bars up to ${minute(data_cutoff)}.`,
    `The window ran from ${minute(window.anchor_time)} to ${minute(window.end_time)}.`,
    `Entry ${entry.price} at ${minute(entry.time)}, exit ${exit.price} at ${minute(exit.time)}: ${percent(raw_return)}.`,
    `A usual move of that window was ${(100 * sigma).toFixed(2)} %, so the decision has z ${z.toFixed(3)}: ${outcome.result_bucket}.`,
    ...(mfe ? [`Its best value was ${percent(mfe.value)} (${minute(mfe.time)}).`] : []),
    `Its worst value was ${percent(mae.value)} (${minute(mae.time)}).`,
    ...touchesInWords(outcome.levels, submission.price_targets?.stop_loss?.kind === 'trailing'),
    `Graded by ${method} on ${coverage.bars_observed} of ${coverage.bars_expected} bars (${bar_size}, ${source}).`,
  ];
}

function touchesInWords(
  levels: { readonly touches: readonly Touch[]; readonly invalid_at_entry: readonly Level[] } | null,
  trailing: boolean,
) {
  if (!levels) return [];
  const touched = levels.touches.map((touch) => touchInWords(touch, trailing));
  const invalid = levels.invalid_at_entry.map(
    ({ kind, price }) => `The ${kind} at ${price} was on the wrong side of the entry and was ignored.`,
  );
  return touched.length + invalid.length === 0 ? ['No level was touched.'] : [...touched, ...invalid];
}

function touchInWords({ kind, price, time, fill_price, ambiguous }: Touch, trailing: boolean): string {
  const level = kind === 'stop' && trailing ? `stop, which trailed from ${price},` : `${kind} at ${price}`;
  const note = ambiguous ? ' (a target was in the same bar)' : '';
  return `The ${level} was touched at ${minute(time)}, filled at ${fill_price.toFixed(2)}${note}.`;
}

function minute(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

function percent(value: number): string {
  return `${value < 0 ? '' : '+'}${(100 * value).toFixed(2)} %`;
}

/** The parts of a record in a chart. */
type Charted = Pick<OutcomeFacts, 'entry' | 'exit' | 'mfe' | 'mae'> & { readonly bars: readonly StoredBar[] };

/**
 * The path of a record as text: a column per bar (or per few), `│` from low to high, `●` at its close, and to the right
 * the levels: entry, exit, targets and stop. Below, where the largest favourable and adverse moves were.
 */
export function pathChart({ bars, entry, exit, mfe, mae }: Charted, { targets = [], stop_loss }: PriceTargets): string {
  const columns = columnsOf(bars);
  const levels = [
    { label: 'entry', price: entry.price },
    { label: 'exit', price: columns.at(-1)?.close ?? exit.price },
    ...targets.map(({ price }, index) => ({ label: `target ${index + 1}`, price })),
    ...(stop_loss ? [{ label: `stop (${stop_loss.kind})`, price: stop_loss.price }] : []),
  ];
  const prices = [...columns.flatMap(({ low, high }) => [low, high]), ...levels.map(({ price }) => price)];
  const [bottom, top] = [Math.min(...prices), Math.max(...prices)];
  const rowOf = (price: number) => Math.round(((top - price) / (top - bottom || 1)) * (ROWS - 1));
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const labels = levels.filter(({ price }) => rowOf(price) === row);
    const cells = columns.map((column) => cellOf(column, row, rowOf)).join('');
    const name = labels.map(({ label, price }) => `${label} ${price.toFixed(2)}`).join(', ');
    return `  ${labels.length > 0 ? cells.replaceAll(' ', '┄') : cells}  ${name ? `◂ ${name}` : ''}`.trimEnd();
  });
  return [...rows, ...marks(columns, mfe, mae)].join('\n');
}

interface Column {
  readonly low: number;
  readonly high: number;
  readonly close: number;
  readonly ends: readonly string[];
}

/** Converts to the units of the first bar, before any splits. */
function columnsOf(bars: readonly StoredBar[]): Column[] {
  const unit = bars[0]?.split ?? 1;
  const per = Math.max(1, Math.ceil(bars.length / COLUMNS));
  return Array.from({ length: Math.ceil(bars.length / per) }, (_, index) => {
    const own = bars.slice(index * per, (index + 1) * per);
    const inUnits = (price: number, split: number) => (price * split) / unit;
    return {
      low: Math.min(...own.map(({ low, split }) => inUnits(low, split))),
      high: Math.max(...own.map(({ high, split }) => inUnits(high, split))),
      close: own.map(({ close, split }) => inUnits(close, split)).at(-1) ?? Number.NaN,
      ends: own.map(({ end }) => end),
    };
  });
}

function cellOf({ low, high, close }: Column, row: number, rowOf: (price: number) => number): string {
  const mark = rowOf(close) === row ? '●' : row >= rowOf(high) && row <= rowOf(low) ? '│' : ' ';
  return `${mark} `;
}

function marks(columns: readonly Column[], mfe: Excursion | null, mae: Excursion): string[] {
  const at = (time: string | undefined) => columns.findIndex(({ ends }) => ends.some((end) => end === time));
  const place = (name: string, time: string | undefined) => {
    const index = at(time);
    return index < 0 ? [] : [`  ${' '.repeat(2 * index)}▲ ${name}`];
  };
  return [...place('largest favourable move (MFE)', mfe?.time), ...place('largest adverse move (MAE)', mae.time)];
}

/**
 * Imports and publishes the example workflows as one of the owners, and stores them as skills in `skills/`. Finds those of an
 * earlier run by name.
 */
export async function workflowsInWords(client: Client, folder: string): Promise<string> {
  const { email, password } = JSON.parse(readFileSync(accountFile(folder, AGENT), 'utf8'));
  const owner = await client.logIn(email, password);
  const known = new Map((await owner.workflows()).map((workflow) => [workflow.name, workflow]));
  mkdirSync(join(folder, 'skills'), { recursive: true });
  const lines = [];
  for (const file of readdirSync(EXAMPLES)) {
    const yaml = readFileSync(join(EXAMPLES, file), 'utf8');
    const name = /^name: (.*)$/m.exec(yaml)?.[1] ?? '';
    const { node_count, hash } = await published(owner, yaml, known.get(name));
    const skill = join(folder, 'skills', file.replace('.yaml', '.skill'));
    writeFileSync(skill, await client.skill(hash));
    lines.push(`  ${name}: ${node_count} steps, wf:${hash.slice(0, 12)}..., as a skill in ${skill}`);
  }
  return ['Workflows that an agent can follow and submit by', ...lines].join('\n');
}

async function published(owner: OwnerClient, yaml: string, known: OwnWorkflow | undefined) {
  const workflow = known ?? (await owner.importYaml(yaml));
  const hash = workflow.published_hash ?? (await owner.publish(workflow.id));
  return { node_count: workflow.node_count, hash };
}

/** Resolves at the first Ctrl-C. The second one ends the demo, and thereby the service, at once. */
export function whenInterrupted(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    let since: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (since !== undefined && Date.now() - since > ONE_SIGNAL) process.exit(130);
        since ??= Date.now();
        resolve('interrupted');
      });
    }
  });
}
