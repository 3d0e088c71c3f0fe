import { sealedAnew } from './tamper.ts';

/** A tampering of a graded decision, and who finds it. A holder is the owner, with receipts from before. */
export interface Tampering {
  readonly name: string;
  readonly sql: (id: string) => readonly string[];
  /** Lines of `check-evidence` that name it; LEAF stands for the index of a leaf. */
  readonly inside: readonly RegExp[];
  /** What a look-up of the leaf by the verifier finds; null for nothing. */
  readonly outside: RegExp | 'missing' | null;
  /** What the verifier says of the receipt that the service gives now; `same` for the bytes of before. */
  readonly holder: Readonly<Partial<Record<'decision' | 'outcome', RegExp | 'same' | 'refused'>>>;
}

const OPENING = /^FAILS +opening/m;
const ANOTHER_OUTCOME = /^leaf \d+ of \S+: ID has another outcome than was logged$/;
const ANOTHER_DECISION = /^leaf \d+ of \S+: ID has another commitment, public statement or producer than was logged$/;

const inBoth = (id: string, set: string) =>
  ['decisions', 'decision_outcomes'].map((table) => `update app.${table} set ${set} where record_id = '${id}'`);

export const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'bucket',
    sql: (id) =>
      inBoth(
        id,
        `result_bucket = case result_bucket when 'strong_correct' then 'strong_incorrect' else 'strong_correct' end`,
      ),
    inside: [ANOTHER_OUTCOME, /^ID: result_bucket is \S+, computed again \S+$/],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: 'same', outcome: OPENING },
  },
  {
    name: 'evaluated_at',
    sql: (id) => inBoth(id, `evaluated_at = evaluated_at - interval '3 minutes'`),
    inside: [ANOTHER_OUTCOME],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: 'same', outcome: OPENING },
  },
  {
    name: 'facts',
    sql: (id) => [
      `update app.decision_outcomes set facts = jsonb_set(facts, '{raw_return}', '0.5') where record_id = '${id}'`,
      `update app.decisions set raw_return = 0.5 where record_id = '${id}'`,
    ],
    inside: [ANOTHER_OUTCOME, /^ID: facts\.raw_return is 0\.5, computed again/],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: 'same', outcome: OPENING },
  },
  {
    name: 'path',
    sql: (id) => [
      `update app.decision_outcomes set facts = jsonb_set(facts, '{mfe,value}', '0.5') where record_id = '${id}'`,
      `update app.decisions set mfe = 0.5 where record_id = '${id}'`,
    ],
    inside: [ANOTHER_OUTCOME, /^ID: facts\.mfe\.value is 0\.5, computed again/],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: 'same', outcome: OPENING },
  },
  {
    name: 'state out of evaluated',
    sql: (id) => [`update app.decisions set lifecycle_state = 'verified' where record_id = '${id}'`],
    inside: [/^ID: lifecycle_state is verified, and the log says graded$/],
    outside: 'missing',
    holder: { decision: 'same', outcome: 'same' },
  },
  {
    name: 'agent',
    sql: (id) => {
      const other = `(select agent_id from app.agents where agent_id <> (select agent_id from app.decisions where record_id = '${id}') limit 1)`;
      return [
        `insert into app.agents select (jsonb_populate_record(a, jsonb_build_object('agent_id', a.agent_id || '0'))).* from app.agents a limit 1`,
        `update app.decisions set agent_id = ${other} where record_id = '${id}'`,
        `update app.decision_documents set received = received || jsonb_build_object('agent_id',
          (select agent_id from app.decisions where record_id = '${id}')) where record_id = '${id}'`,
      ];
    },
    inside: [/^leaf \d+ of \S+: ID has another owner, agent, number or salt than was logged$/],
    outside: null,
    holder: { decision: /^FAILS +producer/m, outcome: 'same' },
  },
  {
    name: 'text that the owner alone sees',
    sql: (id) => sealedAnew(id, 'core_conclusion', '"made up later"'),
    inside: [ANOTHER_DECISION],
    outside: null,
    holder: { decision: OPENING, outcome: 'same' },
  },
  {
    name: 'direction',
    sql: (id) => [
      ...sealedAnew(id, 'direction', '"bearish"'),
      `update app.decisions set direction = 'bearish' where record_id = '${id}'`,
    ],
    inside: [ANOTHER_DECISION],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: OPENING, outcome: 'same' },
  },
  {
    name: 'origin',
    sql: (id) => [
      `update app.decisions set submission_origin = 'realtime' where record_id = '${id}'`,
      `update app.decision_documents set receipt = jsonb_set(receipt, '{submission_origin}', '"realtime"') where record_id = '${id}'`,
    ],
    inside: [ANOTHER_DECISION],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: OPENING, outcome: 'same' },
  },
  {
    name: 'public statement',
    sql: (id) => sealedAnew(id, 'key_factors', '[]'),
    inside: [ANOTHER_DECISION],
    outside: /the opening of leaf \d+ is not that of the leaf/,
    holder: { decision: OPENING, outcome: 'same' },
  },
  {
    name: 'anchor',
    sql: (id) => [
      `update app.decisions set anchor_time = anchor_time - interval '1 day' where record_id = '${id}'`,
      `update app.decision_documents set receipt = jsonb_set(receipt, '{anchor_time}',
        to_jsonb(app.rfc3339((receipt ->> 'anchor_time')::timestamptz - interval '1 day'))) where record_id = '${id}'`,
    ],
    inside: [/^ID: anchor_time is \S+ in the statement and \S+ in the record$/],
    outside: /outcome\.seconds_to_entry is/,
    holder: { decision: 'same', outcome: 'same' },
  },
  {
    name: 'a bar of the evidence',
    sql: (id) => [
      `create temporary table changed as select b.digest as old, encode(sha256(convert_to(c, 'UTF8')), 'hex') as new, c
         from app.outcome_evidence e join app.evidence_bars b on b.digest = e.path_bars[1],
           regexp_replace(b.content, '"close":.[0-9.]+', '"close":[1') c where e.record_id = '${id}'`,
      'insert into app.evidence_bars (digest, content) select new, c from changed',
      `update app.outcome_evidence set document = replace(document, old, new), path_bars = array_replace(path_bars, old, new)
         from changed where record_id = '${id}'`,
      `update app.outcome_evidence set digest = encode(sha256(convert_to(document, 'UTF8')), 'hex') where record_id = '${id}'`,
    ],
    inside: [/^leaf \d+ of \S+: ID has another document of evidence than was logged$/],
    outside: null,
    holder: { decision: 'same', outcome: /^FAILS +bars/m },
  },
];
