import { HORIZON_KINDS, PERSPECTIVE_TYPES } from '../../decisions/call.ts';
import { HORIZON_RANGES } from '../../grading/windows/window.ts';
import { HORIZON_BOUNDS } from '../../limits.ts';
import {
  choice,
  config,
  gives,
  instructions,
  type NodeTemplate,
  needs,
  needsSome,
  number,
  takes,
  takesAny,
  texts,
  whole,
} from '../node-template.ts';

const FEATURES =
  'features: { items: [{ factor, dimension, direction, weight, metric: { name, value, unit }, source }], data_time }. ' +
  'factor is one sentence of at most 280 characters that a price or a document could prove wrong, weight its share of ' +
  'this reading (0 to 1)';

/** From data to features, and from features to a claim. */
export const ANALYSIS_NODES: readonly NodeTemplate[] = [
  {
    node_id: 'analysis.technical',
    title: 'Technical reading',
    group: 'analysis',
    version: 1,
    inputs: [needs('bars')],
    outputs: [gives('features')],
    config_schema: config({
      methods: texts('Which methods, fixed beforehand. Absent: trend, volatility, range, volume.', 12, 60),
      most: whole('The most features that are handed on.', [1, 10], 5),
    }),
    instructions: instructions({
      read: 'The bars, oldest first. Compute each of config.methods on bars that had closed by data_time.',
      decide:
        'For each method: what it says, and what it said the last ten times it looked like this. Volatility comes first: ' +
        'a move smaller than the usual one over the horizon is no signal. Methods that are computed from the same closes ' +
        'agree by construction, so count a family of them once. Report a method that says nothing as neutral; do not go ' +
        'looking for another that speaks.',
      handOn: `${FEATURES}; at most config.most items, the weightiest first; dimension is technical, metric holds the number that you computed.`,
    }),
  },
  {
    node_id: 'analysis.relative',
    title: 'Strength against benchmarks',
    group: 'analysis',
    version: 1,
    inputs: [needs('bars'), needsSome('bars', 'benchmark')],
    outputs: [gives('features')],
    config_schema: config({ window: whole('Bars that returns are compared over.', [5, 500], 60) }),
    instructions: instructions({
      read: 'bars of the instrument and of each benchmark, aligned by time, the last config.window of them.',
      decide:
        'How much of the move belongs to the market: beta and correlation over the window, then the return that is left. ' +
        'If the benchmark explains nearly all of it, the thesis is about the market, and should say so. If little is ' +
        'left, hand on neutral.',
      handOn: `${FEATURES}; dimension is relative, with beta, correlation and residual return as metrics.`,
    }),
  },
  {
    node_id: 'analysis.sentiment',
    title: 'Reading of the news',
    group: 'analysis',
    version: 1,
    inputs: [needs('news'), takes('bars')],
    outputs: [gives('features')],
    config_schema: config({ most: whole('The most features that are handed on.', [1, 10], 5) }),
    instructions: instructions({
      read: 'The items of news and, where bars are given, how the price moved after each published_at.',
      decide:
        'For each event: what it changes, for how long, and whether the price has taken it in already. News that moved ' +
        'the price hours ago is history. Tone is not an event: ten comments on one fact are one fact. Without any event ' +
        'within the horizon, hand on a neutral reading.',
      handOn: `${FEATURES}; at most config.most items, the weightiest first; dimension is sentiment, source is { name, url, published_at } of the earliest report.`,
    }),
  },
  {
    node_id: 'analysis.fundamental',
    title: 'Fundamental reading',
    group: 'analysis',
    version: 1,
    inputs: [needs('fundamentals'), takes('bars')],
    outputs: [gives('features')],
    config_schema: config({ most: whole('The most features that are handed on.', [1, 10], 5) }),
    instructions: instructions({
      read: 'The items of fundamentals, and bars for what the market pays for them.',
      decide:
        'What has changed against the periods before, and against what was expected; whether it can bear on the price ' +
        'within the horizon of the thesis: a cheap price can stay cheap for years. Name the date on which the next ' +
        'figure comes out, if it lies within the horizon.',
      handOn: `${FEATURES}; at most config.most items, the weightiest first; dimension is fundamental, metric is the figure with its unit and period.`,
    }),
  },
  {
    node_id: 'analysis.thesis',
    title: 'Thesis',
    group: 'analysis',
    version: 1,
    inputs: [needsSome('features'), takesAny('cohort')],
    outputs: [gives('thesis')],
    config_schema: config({
      perspective_type: choice('From which side the claim is made.', PERSPECTIVE_TYPES, 'composite'),
      horizon_kind: choice('How the horizon is counted.', HORIZON_KINDS, 'trading_days'),
      horizon_value: {
        type: 'integer',
        description: `${HORIZON_RANGES} Absent: the shortest that fits the claim.`,
        minimum: HORIZON_BOUNDS.trading_days.min,
        maximum: HORIZON_BOUNDS.holding_seconds.max,
      },
      factors: whole('The most factors that the claim rests on.', [1, 10], 5),
    }),
    instructions: instructions({
      read: 'All features that are handed in, and each cohort reading with its weakness.',
      decide:
        'One claim: bullish, bearish or neutral, of config.perspective_type, over config.horizon_value of config.horizon_kind; ' +
        'without a value the shortest horizon that the features bear on, fixed before the direction. neutral says that the price will stay where it is, ' +
        'within about two thirds of its usual move; it is graded like any other call and is not a way out of an opinion. ' +
        'Weigh features of one origin once. Start from the base rate: a call without skill is right half of the time, so ' +
        'confidence above 0.6 needs a reason that you can write down, and a cohort that leans the other way needs an ' +
        'answer. Write down what speaks against the claim before you fix the confidence.',
      handOn:
        'thesis: { claim, direction, horizon_kind, horizon_value, perspective_type, confidence, for: [features], against: ' +
        '[features], data_time }, at most config.factors in for, strongest first; data_time is the latest of all that was ' +
        'handed in: nothing that was looked at may be newer than the record says.',
    }),
  },
  {
    node_id: 'analysis.challenge',
    title: "Devil's advocate",
    group: 'analysis',
    version: 1,
    inputs: [needs('thesis'), takesAny('features'), takesAny('cohort')],
    outputs: [gives('thesis')],
    config_schema: config({
      objections: whole('How many objections to work out.', [1, 10], 3),
      most_confidence: number('The confidence that a thesis leaves this step with, at most.', [0, 1], 0.8),
    }),
    instructions: instructions({
      read: 'The thesis, then the features and the cohort as if you had to argue the opposite; against comes first.',
      decide:
        'The config.objections strongest reasons why the thesis fails within its horizon, each as something that could be ' +
        'observed. For each: is it answered by evidence, or by hope? An objection without an answer lowers the ' +
        'confidence; one that is stronger than for turns the direction or makes it neutral. Do not raise the confidence ' +
        'here: surviving your own objections is no new evidence.',
      handOn:
        'thesis: the same form, objections added to against, confidence as it was or lower and at most ' +
        'config.most_confidence, data_time the latest of all that was read; say what changed.',
    }),
  },
];
