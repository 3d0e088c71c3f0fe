import type { NodeTemplate } from '../node-template.ts';
import { choice, config, object, text, whole } from './config-schema.ts';
import { instructions } from './instructions.ts';
import { gives, needs, needsSome, takesAny } from './ports.ts';

/** Rules that are fixed before the data is seen. */
export const LOGIC_NODES: readonly NodeTemplate[] = [
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
