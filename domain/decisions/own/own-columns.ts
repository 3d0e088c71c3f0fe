import type { OutcomeFacts } from '../../grading/outcome.ts';
import type { Cell, ColumnKind, TableColumn } from '../../table.ts';
import { countedReading, receivedReading, type TabledDecision } from '../decision.ts';
import type { Submission } from '../submission/submission.ts';
import type { Faulted } from '../views/record-fault.ts';
import { refOf, shownFacts } from '../views/views.ts';

type OwnColumn = TableColumn<TabledDecision & Faulted>;

/**
 * The columns of an owner's decisions as a table, with the names that they have in the JSON lines of an export: the data
 * dictionary of docs/export-columns.md. What is a list or an object there is JSON text here. The bars, the statement and
 * its salt are in the other formats alone.
 */
export const OWN_DECISION_COLUMNS: readonly OwnColumn[] = [
  plain('text', 'record_id', 'The id of the decision.'),
  plain('text', 'agent_id', 'The agent that submitted it.'),
  plain('integer', 'number', 'Its number among the decisions of the agent; missing before there were numbers.'),
  plain('text', 'group_id', 'The decision group that it was submitted in; missing where it was submitted alone.'),
  plain('integer', 'group_place', 'Its place among the horizons of the group: the first leads.'),
  plain('integer', 'group_of', 'How many horizons the group has.'),
  plain('text', 'market', '`stock` or `crypto`.'),
  of('text', 'symbol', 'The security as it was read at receipt.', (r) => receivedReading(r).symbol),
  plain('text', 'submitted_symbol', 'The symbol as it was sent, in upper case.'),
  plain('text', 'venue', 'Where it is traded.'),
  plain('text', 'asset_class', 'Such as `spot`.'),
  plain('text', 'quote_currency', 'The currency of its prices.'),
  of('text', 'cohort_key', 'The cohort that its receipt names.', (r) => receivedReading(r).cohort_key),
  plain('text', 'direction', '`bullish`, `bearish` or `neutral`.'),
  plain('text', 'analysis_class', '`opinion` or `trade_plan`.'),
  plain('text', 'perspective_type', 'Such as `technical`; missing where none was stated.'),
  plain('text', 'horizon_kind', '`holding_seconds` or `trading_days`.'),
  plain('integer', 'horizon_value', 'The length of the horizon in that unit.'),
  plain('time', 'data_cutoff', 'The time of the data that the agent had.'),
  plain('time', 'submission_time', 'When the decision was received.'),
  plain('text', 'submission_origin', '`realtime` or `retroactive`.'),
  plain('text', 'method', 'The evaluation method, fixed at receipt.'),
  plain('time', 'anchor_time', 'Where its window begins.'),
  plain('time', 'end_time', 'Where its window ends.'),
  plain('time', 'settles_at', 'When the prices of the window are settled.'),
  plain('text', 'lifecycle_state', 'Such as `evaluated`.'),
  plain('time', 'due_at', 'When it is processed next; missing when it will not be.'),
  plain('integer', 'attempts', 'How often its evaluation was put off.'),
  plain('text', 'last_error', 'Why it was last put off, or has no outcome.'),
  plain('time', 'evaluated_at', 'When it was graded; missing until then.'),
  plain('text', 'result_bucket', 'From `strong_correct` to `strong_incorrect`; missing until it is graded.'),
  of('text', 'created_regime', 'The market at the anchor, such as `up_low`.', (r) => r.created_regime?.label),
  of('number', 'created_regime_vol', 'The rank of its volatility, 0 to 1.', (r) => r.created_regime?.vol),
  of('number', 'created_regime_trend', 'The strength of its trend, 0 to 1.', (r) => r.created_regime?.trend),
  plain('time', 'archived_at', 'When it was archived; missing if it was not.'),
  plain('text', 'archive_reason', 'Why it was archived.'),
  plain('text', 'quarantine_reason', 'Why an operator quarantined it; missing if none did.'),
  of('text', 'workflow_ref', 'The workflow that it is attributed to.', refOf),
  plain('text', 'isolation_snapshot_id', 'The state of the circuit at receipt, where that was not normal.'),
  plain('text', 'commitment', 'The digest that commits to the statement.'),
  of('integer', 'log_index', 'The leaf of its submission in the newest evidence log.', (r) => r.log?.index),
  of('integer', 'log_outcome_index', 'The leaf of its grade there.', (r) => r.log?.outcome_index),
  sent('text', 'summary', 'What the agent wrote.', (s) => s.summary),
  sent('number', 'confidence', 'The confidence that the agent stated, 0 to 1.', (s) => s.confidence),
  sent('text', 'model_id', 'The model that the agent named.', (s) => s.model?.id),
  sent('text', 'model_knowledge_cutoff', 'Where its knowledge ends, as sent.', (s) => s.model?.knowledge_cutoff),
  sent('number', 'reference_price', 'The price that the agent saw.', (s) => s.reference_price),
  sentJson('price_targets', 'Entry, targets and stop.'),
  sentJson('invalidation', 'Levels at which the decision no longer holds.'),
  sentJson('key_factors', 'The factors, as sent.'),
  sentJson('execution_info', 'Whether and how it was executed.'),
  sentJson('service_interaction', 'What the agent asked this service before.'),
  sentJson('related_records', 'Decisions that it relates to, as sent.'),
  sentJson('tags', 'Its tags.'),
  sentJson('inputs', 'The digests of what the agent used.'),
  sent('json', 'meta', 'The object `meta`, as sent.', (s) => s.meta),
  fact('text', 'source', 'Where the prices of the outcome come from.', (f) => f.source),
  fact('text', 'bar_size', 'The size of the bars of the path.', (f) => f.bar_size),
  fact('time', 'entry_time', 'The time of the entry.', (f) => new Date(f.entry.time)),
  fact('number', 'entry_price', 'The price of the entry, as traded.', (f) => f.entry.price),
  fact('time', 'exit_time', 'The time of the exit.', (f) => new Date(f.exit.time)),
  fact('number', 'exit_price', 'The price of the exit, as traded.', (f) => f.exit.price),
  fact('number', 'raw_return', 'Exit over entry minus one, adjusted, whatever the direction.', (f) => f.raw_return),
  fact('number', 'directional_return', 'The same, signed by the direction.', (f) => f.directional_return),
  fact('number', 'sigma_d', 'The volatility of one day before the anchor.', (f) => f.sigma_d),
  fact('number', 'tau', 'Days or sessions between entry and exit.', (f) => f.tau),
  fact('number', 'z', 'The log return in sigmas of the window, signed by the direction.', (f) => f.z),
  of('number', 'move_z', 'The same, signed by the price.', (r) => r.facts && shownFacts(r.direction, r.facts).move_z),
  fact('number', 'grid_z', 'One step of the price in sigmas of the window.', (f) => ('grid_z' in f ? f.grid_z : null)),
  fact('number', 'mfe', 'The largest favourable excursion.', (f) => f.mfe?.value),
  fact('number', 'mae', 'The largest adverse excursion.', (f) => f.mae.value),
  fact('number', 'fraction_in_favour', 'The share of bars in favour.', (f) => f.fraction_in_favour),
  fact('number', 'realised_volatility', 'Of the whole path.', (f) => f.realised_volatility),
  fact('number', 'night_leap', 'The largest real leap over a night: the new price over the old one.', (f) =>
    'night_leap' in f ? f.night_leap : null,
  ),
  fact('number', 'market_move', 'What the reference of the venue did meanwhile.', (f) =>
    'market' in f ? f.market?.move : null,
  ),
  fact('text', 'history_from', 'The date of the oldest day that sigma_d is computed from.', (f) =>
    'history_from' in f ? f.history_from : null,
  ),
  fact('json', 'facts', 'All facts of the outcome.', JSON.stringify),
  of('json', 'owner_facts', 'What the outcome says about your price levels.', (r) => jsonText(r.owner_facts)),
  of('text', 'fault', 'The parts that the service cannot read, such as `outcome`; missing for nearly all.', (r) =>
    r.fault?.parts.join(' '),
  ),
  of(
    'text',
    'counted_symbol',
    'What it counts as by a statement that was learned later; missing for nearly all.',
    (r) => countedReading(r).counted_as?.symbol,
  ),
  of('text', 'counted_cohort_key', 'The cohort of that.', (r) => countedReading(r).counted_as?.cohort_key),
  of('time', 'counted_since', 'When that statement was learned.', (r) => countedReading(r).counted_as?.since),
  of('boolean', 'wrong_security', '`true` where the prices are of another security; missing for nearly all.', (r) =>
    r.wrong_security ? true : null,
  ),
];

/** A member of the decision of the same name. */
function plain<Name extends keyof TabledDecision>(
  kind: ColumnKind,
  name: TabledDecision[Name] extends Cell ? Name : never,
  description: string,
): OwnColumn {
  return { name, kind, description, of: (record) => record[name] as Cell };
}

function of(
  kind: ColumnKind,
  name: string,
  description: string,
  value: (record: TabledDecision & Faulted) => Cell | undefined,
): OwnColumn {
  return { name, kind, description, of: (record) => value(record) ?? null };
}

function sent(
  kind: ColumnKind,
  name: string,
  description: string,
  value: (submission: Submission) => Cell | undefined,
): OwnColumn {
  return of(kind, name, description, ({ submission }) => value(submission));
}

function sentJson(name: keyof Submission, description: string): OwnColumn {
  return sent('json', name, description, (submission) => jsonText(submission[name]));
}

function fact(
  kind: ColumnKind,
  name: string,
  description: string,
  value: (facts: OutcomeFacts) => Cell | undefined,
): OwnColumn {
  return of(kind, name, description, ({ facts }) => facts && value(facts));
}

function jsonText(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
