import { ANALYSIS_CLASSES } from '../decisions/call.ts';
import {
  choice,
  config,
  flag,
  gives,
  instructions,
  type NodeTemplate,
  needs,
  needsSome,
  number,
  object,
  SUBMIT_NODE,
  takes,
  takesAny,
  text,
  texts,
  whole,
} from './node-template.ts';
import { ANALYSIS_NODES } from './node-templates/analysis.ts';
import { DATA_NODES } from './node-templates/data.ts';
import { EVIDENCE_NODES } from './node-templates/evidence.ts';
import { INPUT_NODES } from './node-templates/input.ts';

/** Rules that are fixed before the data is seen. */
const LOGIC_NODES: readonly NodeTemplate[] = [
  {
    node_id: 'logic.combine',
    title: 'Combine theses',
    group: 'logic',
    version: 1,
    inputs: [needsSome('thesis')],
    outputs: [gives('thesis')],
    config_schema: config({
      rule: choice('How they are combined.', ['majority', 'unanimous', 'most_confident'], 'majority'),
      otherwise: choice('What a conflict ends in.', ['neutral', 'stop'], 'stop'),
    }),
    instructions: instructions({
      read: 'Every thesis that is handed in. They must speak of one instrument; bring their horizons to the shortest.',
      decide:
        'By config.rule and nothing else: majority takes the direction of more than half, unanimous only one that all ' +
        'share, most_confident that of the highest confidence. Where the rule gives none, config.otherwise: neutral ' +
        'claims that the price stays where it is, stop ends the run without a submission. The combined confidence is at ' +
        'most the highest of those that agree: views that rest on the same data add little to each other.',
      handOn:
        'thesis: the agreed direction and horizon, for from the theses that agree, against from those that do not with ' +
        'the direction they took, the latest data_time. perspective_type is composite unless all name the same one.',
    }),
  },
  {
    node_id: 'logic.gate',
    title: 'Conditions',
    group: 'logic',
    version: 1,
    inputs: [needs('thesis'), takesAny('features'), takesAny('cohort')],
    outputs: [gives('thesis')],
    config_schema: config(
      {
        conditions: {
          type: 'array',
          description: 'All must hold.',
          minItems: 1,
          maxItems: 20,
          items: object(
            {
              condition: text('In words that data can decide: realised volatility of 20 days below 40 percent.', 280),
              otherwise: choice('What happens where it does not hold.', ['neutral', 'stop'], 'stop'),
            },
            ['condition'],
          ),
        },
      },
      ['conditions'],
    ),
    instructions: instructions({
      read: 'config.conditions, then the features, the cohort and the thesis, for what decides each of them.',
      decide:
        'Each condition by itself: it holds, it does not, or it cannot be told. What cannot be told does not hold. Do not ' +
        'soften a condition because the thesis is good: it was written down in order to stop good stories. At the first ' +
        'stop end the run without a submission and report the condition; at neutral, change the direction to neutral.',
      handOn: 'thesis: as it came in, or neutral, with each condition and what decided it added to for or against.',
    }),
  },
  {
    node_id: 'logic.freshness',
    title: 'Freshness',
    group: 'logic',
    version: 1,
    inputs: [needs('thesis')],
    outputs: [gives('thesis')],
    config_schema: config({
      most_minutes: whole('How old data_time may be, in minutes of an open market.', [1, 10_080], 120),
    }),
    instructions: instructions({
      read: 'data_time of the prices and the news that the thesis rests on, the clock, and the trading hours of the venue.',
      decide:
        'Whether the oldest of them is at most config.most_minutes ago, not counting time in which the market was closed; ' +
        'reported figures may be older, as long as none newer has come out. If it is not, run the data steps again; if that brings nothing newer, stop without a submission. A call on data that is ' +
        'more than two sessions old (crypto: two hours) is kept as retroactive and stays out of cohorts. Never write a ' +
        'later data_time than that of the data: the record is graded from its receipt on, so nothing is gained by it.',
      handOn: 'thesis: unchanged, with the oldest data_time that was judged.',
    }),
  },
];

/** Where a thesis is wrong, and what that would cost. */
const RISK_NODES: readonly NodeTemplate[] = [
  {
    node_id: 'risk.levels',
    title: 'Levels',
    group: 'risk',
    version: 1,
    inputs: [needs('thesis'), needs('bars')],
    outputs: [gives('risk')],
    config_schema: config({
      targets: whole('How many targets.', [1, 5], 2),
      stop: choice('Kind of the stop.', ['hard', 'trailing'], 'hard'),
      least_reward: number('Reward of the first target over the risk to the stop, at least.', [0, 20], 1.5),
    }),
    instructions: instructions({
      read: 'The thesis for direction and horizon, the bars for the usual move over that horizon and for past extremes.',
      decide:
        'Invalidation first: the price at which the reason for the thesis is gone, not the loss that would hurt. Then a ' +
        'stop of kind config.stop beyond the noise of one bar, then at most config.targets targets that the usual move over the horizon can ' +
        'reach. If the first target pays less than config.least_reward times the distance to the stop, say so in note and ' +
        'leave the levels out. A neutral thesis has no targets and no stop. Prices are those of data_time, in the quote ' +
        'currency, adjusted for splits only.',
      handOn:
        'risk: { entry, targets: [{ price, size_pct }], stop_loss: { price, kind }, invalidation: [{ kind: drops_below or ' +
        'rises_above, threshold }], note, data_time }; for bullish stop < entry < targets, for bearish the other way round.',
    }),
  },
  {
    node_id: 'risk.sizing',
    title: 'Size',
    group: 'risk',
    version: 1,
    inputs: [needs('thesis'), needs('risk')],
    outputs: [gives('risk')],
    config_schema: config({
      risk_pct: number('Percent of the capital that the stop may cost.', [0.01, 10], 0.5),
      most_position_pct: number('Percent of the capital in this position, at most.', [0.1, 100], 10),
    }),
    instructions: instructions({
      read: 'entry and stop_loss of risk, confidence of the thesis, and the capital from whoever runs the workflow.',
      decide:
        'Quantity = capital * config.risk_pct / 100 / |entry - stop|, cut to config.most_position_pct of the capital at ' +
        'entry. A gap can pass the stop: for a position over a weekend or a report take half. A low confidence lowers the ' +
        'size, a high one never raises it above the rule. Without a capital or a stop, hand on no quantity.',
      handOn:
        'risk: as it came in, with quantity and note: what was cut and why. Size never decides how a record is graded.',
    }),
  },
  {
    node_id: 'risk.exposure',
    title: 'Exposure',
    group: 'risk',
    version: 1,
    inputs: [needs('instrument'), needs('thesis'), takes('risk'), takesAny('decision')],
    outputs: [gives('risk'), gives('thesis')],
    config_schema: config({
      most_alike: whole('Open calls on instruments that move alike, at most.', [0, 50], 3),
      otherwise: choice('What happens beyond that.', ['note', 'stop'], 'note'),
    }),
    instructions: instructions({
      read:
        'Your open records: those of the decision port, else GET /api/v1/agent/decisions of this market, the ones whose ' +
        'lifecycle_state is pending_verify, verified, evaluating or deferred.',
      decide:
        'How many of them would win and lose together with this one: same instrument, sector or coin, and the same ' +
        'direction. Beyond config.most_alike, by config.otherwise: note it, or stop without a submission. Ten calls on ' +
        'one move are one call.',
      handOn:
        'risk: as it came in, else empty, with the record_ids that move alike in note. thesis: unchanged, with the overlap ' +
        'added to against.',
    }),
  },
];

/** Where a workflow ends: a record of what was said before the outcome is known. */
const DECISION_NODES: readonly NodeTemplate[] = [
  {
    node_id: SUBMIT_NODE,
    title: 'Submit the decision',
    group: 'decision',
    version: 1,
    inputs: [
      needs('instrument'),
      needs('thesis'),
      takes('risk'),
      takesAny('features'),
      takesAny('cohort'),
      takesAny('decision'),
    ],
    outputs: [],
    config_schema: config({
      analysis_class: choice('Absent: trade_plan when there are price targets, else opinion.', ANALYSIS_CLASSES),
      rehearse: flag('Send it with validate_only=true first.', true),
      tags: texts('Added to the record.', 10, 40),
    }),
    instructions: instructions({
      read:
        'Everything that is handed in, and nothing else: no new data at this step. Make the body of ' +
        'POST /api/v1/agent/decisions from it. instrument gives market, symbol, venue, asset_class, quote_currency. thesis ' +
        'gives direction, horizon_kind, horizon_value, perspective_type, confidence, summary (the claim and what speaks ' +
        'against it) and data_cutoff = its data_time. Its for gives key_factors: at most 10 of { factor, dimension, ' +
        'direction, weight, metric, source }; features that are handed in as well fill what is left. risk gives ' +
        'price_targets { entry, targets, stop_loss } (not for neutral), invalidation (at most 2, of different kinds) and, ' +
        'where a trade was really made, execution_info. cohort gives service_interaction { consulted: true, wisdom_queries, ' +
        'record_ids, note }. decision gives related_records [{ record_id, relation }], at most 16, none with a later ' +
        'data_cutoff. Add workflow_ref = wf: and the hash of this workflow, config.analysis_class, config.tags, and model { id, ' +
        'knowledge_cutoff } if you know them.',
      decide:
        'Whether you would stand by it with your name: the record cannot be changed or taken back, and is public, without ' +
        'your name, once it is evaluated. With config.rehearse send it with ?validate_only=true first and correct all of ' +
        'error.details at once. Do not move the horizon or the direction to please a warning; a 429 ' +
        'DUPLICATE_SUBMISSION says that you have said so already. If a step before ended in stop, submit nothing.',
      handOn:
        'Nothing: this is the end. Send it with an Idempotency-Key of this run, so that a repeat after a lost answer is ' +
        'the same record. Keep record_id and state_url, and poll no sooner than poll_after_seconds: the outcome comes when ' +
        'the window has ended.',
    }),
  },
];

/** Every kind of step, by group (settled.md section 11). */
export const NODE_TEMPLATES: readonly NodeTemplate[] = [
  ...INPUT_NODES,
  ...DATA_NODES,
  ...EVIDENCE_NODES,
  ...ANALYSIS_NODES,
  ...LOGIC_NODES,
  ...RISK_NODES,
  ...DECISION_NODES,
];

const BY_NODE_ID: ReadonlyMap<string, NodeTemplate> = new Map(
  NODE_TEMPLATES.map((template) => [template.node_id, template]),
);

export function nodeTemplate(node_id: string): NodeTemplate | undefined {
  return BY_NODE_ID.get(node_id);
}
