import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { markOf, numberedProducer, numberedProducerDigest } from '../../domain/log/leaves/leaf.ts';
import type {
  DecisionOpening,
  EvidenceOpening,
  OutcomeOpening,
  OwnerOpening,
  PlanOpening,
} from '../../domain/log/leaves/opening.ts';
import {
  decisionDigest,
  evidenceDigest,
  type GradedDecision,
  outcomeDigest,
  planDigest,
  producerDigest,
  publicDigest,
  publicOutcome,
  publicStatement,
  type StatedDecision,
} from '../../domain/log/leaves/public-statement.ts';
import { barText } from '../../domain/market/bar-cache.ts';

const SALT = Buffer.alloc(32, 0xab);
const PUBLIC_SALT = Buffer.alloc(32, 0x11);
const OUTCOME_SALT = Buffer.alloc(32, 0x22);
const EVIDENCE_SALT = Buffer.alloc(32, 0x33);
const PRODUCER = { owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3', agent_id: 'agt_4f1c2d3e5a6b' };

const FACTORS = [
  'short é',
  {
    factor: 'long',
    id: 'b',
    depends_on: ['a'],
    weight: 0.25,
    metric: { name: 'rsi', value: 31.5, unit: 'pt' },
    source: { name: 'secret source' },
  },
];

/** A decision with every kind of factor. Digests in tests depend on each of its values. */
export const STATED: StatedDecision = {
  record_id: 'dec_20260302_5c0ffee5',
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
  cohort_key: 'crypto:btc:spot:usd:bullish:intraday:trade_plan',
  direction: 'bullish',
  analysis_class: 'trade_plan',
  perspective_type: 'technical',
  horizon_kind: 'holding_seconds',
  horizon_value: 3_600,
  data_cutoff: new Date('2026-03-02T11:59:00Z'),
  submission_time: new Date('2026-03-02T12:00:41.007Z'),
  submission_origin: 'realtime',
  method: 'eval/1',
  group_place: null,
  submission: { key_factors: FACTORS },
};

/** What its agent sent, sealed. */
export const STATEMENT = canonicalJson({
  body: {
    market: 'crypto',
    symbol: 'BTC-USD',
    venue: 'COINBASE',
    asset_class: 'spot',
    quote_currency: 'USD',
    direction: 'bullish',
    perspective_type: 'technical',
    horizon_kind: 'holding_seconds',
    horizon_value: 3_600,
    data_cutoff: '2026-03-02T11:59:00Z',
    price_targets: { targets: [{ price: 120 }] },
    key_factors: FACTORS,
  },
  record_id: 'dec_20260302_5c0ffee5',
  submission_time: '2026-03-02T12:00:41.007Z',
});

export const GRADED: GradedDecision = {
  market: 'crypto',
  venue: 'COINBASE',
  submission_origin: 'realtime',
  anchor_time: new Date('2026-03-02T12:00:41.007Z'),
  end_time: new Date('2026-03-02T13:00:41.007Z'),
  result_bucket: 'strong_correct',
  evaluated_at: new Date('2026-03-02T13:03:01Z'),
  created_regime: { label: 'up_low' },
  facts: {
    method: 'eval/1',
    source: 'test',
    bar_size: '1m',
    entry: { time: '2026-03-02T12:00:00.000Z', price: 100, adjusted_price: 100 },
    exit: { time: '2026-03-02T13:00:00.000Z', price: 101, adjusted_price: 101 },
    raw_return: 0.01,
    directional_return: 0.01,
    sigma_d: 0.01,
    tau: 1,
    z: 0.9950330853168092,
    mfe: { time: '2026-03-02T12:30:00.000Z', value: 0.02 },
    mae: { time: '2026-03-02T12:10:00.000Z', value: -0.005 },
    fraction_in_favour: 0.75,
    realised_volatility: 0.02,
    coverage: { bars_expected: 60, bars_observed: 59, bars_carried: 1, ratio: 1 },
    halted: false,
    delisted_exit: false,
  },
};

export const OWNER: OwnerOpening = { salt: SALT.toString('hex'), statement: STATEMENT, ...PRODUCER };

/** The opening of the decision's leaf, as anyone may have it. */
export function aDecisionOpening(stated: StatedDecision = STATED): DecisionOpening {
  const public_statement = publicStatement(stated);
  const digests = {
    commitment: sha256(SALT, STATEMENT),
    publicDigest: publicDigest(PUBLIC_SALT, public_statement, canonicalJson, sha256),
    producer: producerDigest(SALT, PRODUCER, sha256),
  };
  return {
    v: 1,
    leaf: { t: 'decision', c: hexOf(decisionDigest(digests, sha256)), v: 1 },
    commitment: hexOf(digests.commitment),
    producer: hexOf(digests.producer),
    public_salt: hexOf(PUBLIC_SALT),
    public_statement,
  };
}

/** The same of a numbered decision, for its owner. @param agent_salt of the marks of its agent, hex */
export function aNumberedOpening(number: number, agent_salt: string, stated: StatedDecision = STATED): DecisionOpening {
  const next_mark = hexOf(markOf(agent_salt, number + 1, sha256));
  const named = numberedProducer({ ...OWNER, number, next_mark }, sha256);
  const producer = numberedProducerDigest(named, sha256);
  const { leaf: _, ...opening } = aDecisionOpening(stated);
  const publicSalted = publicDigest(PUBLIC_SALT, opening.public_statement, canonicalJson, sha256);
  const digests = { commitment: sha256(SALT, STATEMENT), publicDigest: publicSalted, producer };
  const mark = hexOf(markOf(agent_salt, number, sha256));
  const leaf = { t: 'decision', c: hexOf(decisionDigest(digests, sha256)), mark, v: 2 } as const;
  return { ...opening, leaf, producer: hexOf(producer), owner: { ...OWNER, number, next_mark } };
}

/** What its outcome was computed from. */
export const EVIDENCE: EvidenceOpening = {
  salt: EVIDENCE_SALT.toString('hex'),
  document: `{"record_id":"${STATED.record_id}"}`,
  bars: [barText([])],
};

/** The opening of the leaf of its outcome. @param of the index of the decision's leaf @param changes of what is public of it */
export function anOutcomeOpening(of: number, changes: object = {}): OutcomeOpening {
  const evidence = hexOf(evidenceDigest(EVIDENCE_SALT, EVIDENCE.document, sha256));
  const public_outcome = { ...publicOutcome(GRADED, evidence), ...changes };
  const o = hexOf(outcomeDigest(OUTCOME_SALT, public_outcome, canonicalJson, sha256));
  return { v: 1, leaf: { t: 'outcome', o, of, v: 1 }, outcome_salt: hexOf(OUTCOME_SALT), public_outcome };
}

/** The opening of the leaf of a question of the same agent. @param changes of its statement */
export function aPlanOpening(changes: object = {}): PlanOpening {
  const statement = canonicalJson({
    ...{
      v: 1,
      plan_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
      query: { market: 'crypto', include_retroactive: false },
    },
    ...{ sentence: 'It rises.', stated_at: '2026-03-02T12:00:41.007Z', asked_before: false, ...changes },
  });
  const producer = producerDigest(SALT, PRODUCER, sha256);
  const c = hexOf(planDigest({ commitment: sha256(SALT, statement), producer }, sha256));
  return { v: 1, leaf: { t: 'plan', c, v: 1 }, salt: SALT.toString('hex'), statement, producer: hexOf(producer) };
}
