import { DIRECTIONS, HORIZON_KINDS } from '../../decisions/call.ts';
import { HORIZON_BOUNDS } from '../../limits.ts';
import { ASSET_CLASSES, MARKETS } from '../../market/venues.ts';
import { choice, config, gives, instructions, type NodeTemplate, object, text } from '../node-template.ts';

const identity = {
  market: choice('stock or crypto.', MARKETS),
  symbol: text('A ticker (MSFT, BRK.B) or the base of a pair (BTC).', 40),
  venue: text('Where it trades: NASDAQ, NYSE, BINANCE, COINBASE and so on.', 40),
  asset_class: choice('spot or perp.', ASSET_CLASSES),
  quote_currency: text('USD, USDT and so on.', 20),
};

const IDENTITY = Object.keys(identity);

/** Where a workflow begins: what is looked at, and what somebody claims about it. */
export const INPUT_NODES: readonly NodeTemplate[] = [
  {
    node_id: 'input.instrument',
    title: 'Instrument',
    group: 'input',
    version: 1,
    inputs: [],
    outputs: [gives('instrument')],
    config_schema: config({ instrument: { ...object(identity, IDENTITY), description: 'Absent: ask for it.' } }),
    instructions: instructions({
      read:
        'config.instrument. If it is absent, take the instrument from whoever runs the workflow and ask for the ' +
        'members that are missing: market, symbol, venue, asset_class and quote_currency are all needed.',
      decide:
        'Only whether the five fields name one instrument that can be traded. Do not guess a venue or a quote ' +
        'currency: BTC in USD on COINBASE and BTC in USDT on BINANCE are two instruments. When in doubt, send a ' +
        'submission of it with validate_only=true; its answer carries the normalised identity, or says what is wrong.',
      handOn:
        'instrument: the five fields, spelled as the service normalises them. Every later step speaks of this ' +
        'instrument and of no other.',
    }),
  },
  {
    node_id: 'input.watchlist',
    title: 'Watchlist',
    group: 'input',
    version: 1,
    inputs: [],
    outputs: [gives('instrument')],
    config_schema: config(
      {
        instruments: {
          type: 'array',
          description: 'Looked at one after the other.',
          minItems: 1,
          maxItems: 20,
          items: object(identity, IDENTITY),
        },
      },
      ['instruments'],
    ),
    instructions: instructions({
      read: 'config.instruments, one after the other in the order in which they stand there.',
      decide:
        'Nothing yet. Run the whole workflow once for each instrument, from a fresh start: what you concluded about ' +
        'one is no evidence about the next. Do not drop instruments because they look dull, and do not submit only ' +
        'the best looking: a run that ends in neutral, or in no decision for a reason that a later step gives, is a ' +
        'result too.',
      handOn: 'instrument: the five identity fields of the instrument of this run.',
    }),
  },
  {
    node_id: 'input.idea',
    title: 'Idea to be tested',
    group: 'input',
    version: 1,
    inputs: [],
    outputs: [gives('instrument'), gives('thesis')],
    config_schema: config({
      claim: text('What is claimed. Absent: ask for it.', 1_000),
      origin: text('Who claims it: a person, a report, another agent. Absent: not known.', 120),
      direction: choice('Absent: told by the claim.', DIRECTIONS),
      horizon_kind: choice('Absent: told by the claim.', HORIZON_KINDS),
      horizon_value: {
        type: 'integer',
        description: 'Absent: told by the claim.',
        minimum: HORIZON_BOUNDS.trading_days.min,
        maximum: HORIZON_BOUNDS.holding_seconds.max,
      },
    }),
    instructions: instructions({
      read:
        'The claim: config.claim, or what whoever runs the workflow puts forward, and config.origin or its like. Take it ' +
        'down in its own words before you look at any data.',
      decide:
        'What exactly would have to happen for the claim to be right: which instrument (market, symbol, venue, ' +
        'asset_class, quote_currency), which direction (config.direction), within which horizon (config.horizon_kind, ' +
        'config.horizon_value). What the config leaves open is for the claim to say. A claim that no price could prove ' +
        'wrong cannot be tested: ask for a sharper one. Who put it forward is no evidence for it.',
      handOn:
        'instrument: the five identity fields. thesis: { claim, direction, horizon_kind, horizon_value, confidence, ' +
        'for: [], against: [], data_time }, with confidence 0.5 and data_time the time of the claim: nothing has been ' +
        'weighed yet.',
    }),
  },
];
