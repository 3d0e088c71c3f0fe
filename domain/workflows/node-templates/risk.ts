import type { NodeTemplate } from '../node-template.ts';
import { choice, config, number, whole } from './config-schema.ts';
import { instructions } from './instructions.ts';
import { gives, needs, takes, takesAny } from './ports.ts';

/** Where a thesis is wrong, and what that would cost. */
export const RISK_NODES: readonly NodeTemplate[] = [
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
