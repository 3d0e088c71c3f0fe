import { ANALYSIS_CLASSES } from '../../decisions/call.ts';
import { type NodeTemplate, SUBMIT_NODE } from '../node-template.ts';
import { choice, config, flag, texts } from './config-schema.ts';
import { instructions } from './instructions.ts';
import { needs, takes, takesAny } from './ports.ts';

/** Where a workflow ends: a record of what was said before the outcome is known. */
export const DECISION_NODES: readonly NodeTemplate[] = [
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
